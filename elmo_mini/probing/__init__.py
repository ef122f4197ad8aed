"""What the layers know (lesson 09): probes, their tasks, neighbours in context."""
