"""The exercises of lesson 09, what the layers know, and using them."""

LESSON = "09_what_the_layers_know"
EXERCISES = (
    "nearest_labels",
    "probe_gradient",
    "linear_probe",
    "control_labels",
    "selectivity",
    "diagnose_probe",
    "with_elmo",
    "bill",
)
