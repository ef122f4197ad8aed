"""Changing right answers the way people slip, to see what the checks say of each change."""
