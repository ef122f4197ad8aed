"""The exercises: one folder a lesson, one file an exercise; `checking.catalogue` finds them."""
