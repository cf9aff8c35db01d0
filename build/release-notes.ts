const heading = /^## \[(\d+\.\d+\.\d+)\] - (.+)$/m;

/** The version at the top of the changelog, if it is unreleased. */
export function unreleased(changelog: string): string | undefined {
  const [, version, when] = heading.exec(changelog) ?? [];
  return when === 'Unreleased' ? version : undefined;
}

export function datedChangelog(changelog: string, day: Date): string {
  return changelog.replace(/^(## \[\d+\.\d+\.\d+\] - )Unreleased$/m, `$1${day.toISOString().slice(0, 10)}`);
}

/** The text below the heading of the newest version. */
export function releaseNotes(changelog: string): string {
  const [, ...versions] = changelog.split(/^## .*$/m);
  return `${(versions[0] ?? '').trim()}\n`;
}
