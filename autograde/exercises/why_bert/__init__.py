"""The exercises of lesson 14, why pretraining, and BERT."""

LESSON = "14_why_bert"
EXERCISES = (
    "Classifier",
    "scrambled",
    "tune",
    "prior_gradient",
    "broken_bodies",
    "labels_needed",
)
