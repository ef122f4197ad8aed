"""The learner's desk, the folder work/: what checks leave there, and nowhere else."""
