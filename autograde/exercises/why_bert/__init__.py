"""The exercises of lesson 14, why pretraining, and BERT."""

LESSON = "14_why_bert"
EXERCISES = (
    "Classifier",
    "scrambled",
    "tune",
    "prior_gradient",
    "labels_needed",
    "broken_bodies",
)
