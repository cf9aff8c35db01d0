/** Times are shown in the browser's time zone; the tooltip has the exact time, also in UTC. */
const days = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium' });
const minutes = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' });
const seconds = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' });
const milliseconds = new Intl.DateTimeFormat(undefined, {
  ...{ year: 'numeric', month: 'short', day: 'numeric' },
  ...{ hour: 'numeric', minute: '2-digit', second: '2-digit', fractionalSecondDigits: 3 },
});
const exact = new Intl.DateTimeFormat(undefined, { dateStyle: 'full', timeStyle: 'long' });

/** For places that need a string instead of an element. */
export const momentText = (at: string): string => minutes.format(new Date(at));

/** The same, with seconds and milliseconds if there are any: for values that must be exact, such as filters. */
export function wholeMomentText(at: string): string {
  const date = new Date(at);
  const format = date.getMilliseconds() > 0 ? milliseconds : date.getSeconds() > 0 ? seconds : minutes;
  return format.format(date);
}

export function Time({ at, precise = false }: { at: string; precise?: boolean }) {
  const date = new Date(at);
  if (Number.isNaN(date.getTime())) return <span>{at}</span>;
  return (
    <time dateTime={at} title={`${exact.format(date)}\n${at}`}>
      {(precise ? minutes : days).format(date)}
    </time>
  );
}
