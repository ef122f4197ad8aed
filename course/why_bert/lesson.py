"""All that lesson 14 takes from the course: texts, runs with a fault, and pictures."""

from course.results import published
from course.results.lead import NamedLead
from course.results.stored import stored_result
from course.texts.noun_or_verb import next_class, noun_or_verb, plain_nouns_and_verbs
from course.why_bert.broken_bodies import planted
from course.why_bert.figures import (
    bars,
    broken_figure,
    by_labels,
    held_out_at,
    knowledge_figure,
    knowledge_leads,
    label_curves,
    leads_by_labels,
    loss_lines,
)
from course.why_bert.published_tables import (
    features_figure,
    glue_figure,
    gone_figure,
    ner_figure,
)
from course.why_bert.rivals import table_of_last_words
from elmo_mini.models.fine_tuning import CausalLM
from elmo_mini.text.running_text import BOUNDARY
from elmo_mini.transformer.files import load_causal_lm

__all__ = [
    "BOUNDARY",
    "CausalLM",
    "NamedLead",
    "bars",
    "broken_figure",
    "by_labels",
    "features_figure",
    "glue_figure",
    "gone_figure",
    "held_out_at",
    "knowledge_figure",
    "knowledge_leads",
    "label_curves",
    "leads_by_labels",
    "load_causal_lm",
    "loss_lines",
    "ner_figure",
    "next_class",
    "noun_or_verb",
    "plain_nouns_and_verbs",
    "planted",
    "published",
    "stored_result",
    "table_of_last_words",
]
