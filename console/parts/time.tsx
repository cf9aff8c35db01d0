/** In the reader's own time zone; exact, with UTC, where it is pointed at. */
const days = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium' });
const minutes = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' });
const exact = new Intl.DateTimeFormat(undefined, { dateStyle: 'full', timeStyle: 'long' });

/** In words, for what can't hold an element. */
export const momentText = (at: string): string => minutes.format(new Date(at));

export function Time({ at, precise = false }: { at: string; precise?: boolean }) {
  const date = new Date(at);
  if (Number.isNaN(date.getTime())) return <span>{at}</span>;
  return (
    <time dateTime={at} title={`${exact.format(date)}\n${at}`}>
      {(precise ? minutes : days).format(date)}
    </time>
  );
}
