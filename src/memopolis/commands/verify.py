"""`memopolis verify`: verify the checksums of the files of a run or a sweep."""

from memopolis.commands.options.reading import VerifyOptions
from memopolis.commands.terminal import print_line
from memopolis.sim.verifying import verify


def verify_folder(options: VerifyOptions) -> bool:
    """Print all damaged files of a run or a sweep; return whether there are none."""
    folder, findings = options.folder, verify(options.folder)
    for finding in findings:
        kind = "damaged" if finding.is_damage else "note"
        print_line(f"{kind:8} {finding.path}: {finding.text}")
    damaged = sum(finding.is_damage for finding in findings)
    print_line(f"{folder}: {f'{damaged:,} damaged' if damaged else 'no damage'}")
    return not damaged
