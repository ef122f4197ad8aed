"""The learner's workspace: JupyterLab, the working copies, what this machine has."""
