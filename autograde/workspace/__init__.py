"""The learner's workspace, the folder work/: what checks leave there, and nowhere else."""
