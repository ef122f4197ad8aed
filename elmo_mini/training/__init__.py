"""What trainings share: precision of the products, and runs that stop and go on."""
