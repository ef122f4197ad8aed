"""All that lesson 14 takes from the course: texts, runs with a fault, and pictures."""

from course.results import published
from course.results.lead import stored_lead
from course.results.stored import stored_result
from course.texts.noun_or_verb import next_class, noun_or_verb, plain_nouns_and_verbs
from course.why_bert.broken_bodies import planted
from course.why_bert.elmo_in_answering import elmo_in_answering
from course.why_bert.figures import (
    bars,
    broken_figure,
    by_labels,
    knowledge_figure,
    knowledge_leads,
    label_curves,
    leads_by_labels,
    loss_lines,
)
from course.why_bert.published_tables import (
    features_figure,
    fixed_and_open,
    glue_figure,
    gone_figure,
    ner_figure,
    print_elmo,
    squad_and_swag,
)
from course.why_bert.rivals import table_of_last_words
from elmo_mini.models.fine_tuning import CausalLM
from elmo_mini.text.running_text import BOUNDARY
from elmo_mini.transformer.files import load_causal_lm

__all__ = [
    "BOUNDARY",
    "CausalLM",
    "bars",
    "broken_figure",
    "by_labels",
    "elmo_in_answering",
    "features_figure",
    "fixed_and_open",
    "glue_figure",
    "gone_figure",
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
    "print_elmo",
    "published",
    "squad_and_swag",
    "stored_lead",
    "stored_result",
    "table_of_last_words",
]
