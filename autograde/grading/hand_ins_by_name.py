"""``nbgrader zip_collect`` where two files claim to be one student's: both are named, none taken.

nbgrader's own collector ends there, and collects from nobody.
"""

import os
from pathlib import Path

from nbgrader.plugins.zipcollect import FileNameCollectorPlugin

Claim = tuple[str, str]  # student and notebook


class HandInsByName(FileNameCollectorPlugin):
    """nbgrader's collector by file names, which leaves out what is not clear.

    It takes the options of `FileNameCollectorPlugin`. Where the regular expression finds a
    ``timestamp``, nbgrader takes the later file, and nothing is left out.
    """

    _claims: dict[Claim, list[str]] | None = None

    def collect(self, submitted_file: str) -> dict[str, str] | None:
        """Who handed in this file, and as which notebook; None for a file to leave out."""
        found: dict[str, str] | None = super().collect(Path(submitted_file).as_posix())
        if not found or found.get("timestamp") or not {"student_id", "file_id"} <= found.keys():
            return found
        rivals = self._all_claims().get(_claim(found), [])
        if len(rivals) > 1:
            others = [Path(file).name for file in rivals if Path(file) != Path(submitted_file)]
            self.log.warning(
                f"Not collected, since it is not clear which file is {found['student_id']}'s "
                f"{found['file_id']}: {Path(submitted_file).name}, beside {', '.join(others)}. "
                "Rename or remove all but one, and run the command again with --force"
            )
            return None
        return found

    def _all_claims(self) -> dict[Claim, list[str]]:
        if self._claims is None:
            self._claims = {}
            folder = self.parent._format_collect_path(self.parent.extracted_directory)
            for root, _, names in os.walk(folder):
                for name in names:
                    file = Path(root, name)
                    found = self._match(file.as_posix()) if file.suffix in self.valid_ext else None
                    if found and {"student_id", "file_id"} <= found.keys():
                        self._claims.setdefault(_claim(found), []).append(str(file))
        return self._claims


def _claim(found: dict[str, str]) -> Claim:
    return found["student_id"], found["file_id"]
