"""The learner's desk: JupyterLab, the working copies, what this machine has."""
