const form =
  /^(\d{4})-(\d{2})-(\d{2})(?:T(\d{2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?(?:Z|([+-])(\d{2})(?::?(\d{2}))?))?$/i;

const day =
  '(?:0[13578]|1[02])-(?:0[1-9]|[12][0-9]|3[01])|(?:0[469]|11)-(?:0[1-9]|[12][0-9]|30)|02-(?:0[1-9]|1[0-9]|2[0-8])';
const leapYear = '(?:[0-9]{2}(?:0[48]|[2468][048]|[13579][26])|(?:[02468][048]|[13579][26])00)';
const time = '[Tt](?:[01][0-9]|2[0-3]):[0-5][0-9](?::[0-5][0-9](?:[.,][0-9]{1,9})?)?';
const offset = '[+-](?:[01][0-9]|2[0-3])(?::?[0-5][0-9])?';

/** What `parseInstant` accepts, except for offsets that lead out of the years 0000 to 9999. */
export const instantPattern = `^(?:[0-9]{4}-(?:${day})|${leapYear}-02-29)(?:${time}(?:[Zz]|${offset}))?$`;

export const instantRule =
  'must be a date and time with an offset, such as 2026-01-02T03:04:05Z, or a date alone, such as 2026-01-02';

const earliest = Date.parse('0000-01-01T00:00:00.000Z');
const latest = Date.parse('9999-12-31T23:59:59.999Z');

/** The length of the form in which instants are returned and mostly sent. */
const canonicalLength = '2026-01-02T03:04:05.678Z'.length;

/** Parses ISO 8601 to milliseconds since 1970; undefined if it is invalid. Fractions of a millisecond are cut off. */
export function parseInstant(text: string): number | undefined {
  if (text.length === canonicalLength) {
    const instant = Date.parse(text);
    if (instant >= earliest && formatInstant(instant) === text) return instant;
  }
  const match = form.exec(text);
  if (!match) return undefined;
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = match
    .slice(1, 7)
    .map((part) => Number(part ?? 0));
  if (hour > 23 || minute > 59 || second > 59) return undefined;
  const fraction = Number((match[7] ?? '').padEnd(3, '0').slice(0, 3));
  const offsetHours = Number(match[9] ?? 0);
  const offsetMinutes = Number(match[10] ?? 0);
  if (offsetHours > 23 || offsetMinutes > 59) return undefined;

  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  if (date.getUTCMonth() !== month - 1 || date.getUTCDate() !== day) return undefined;
  const local = date.getTime() + ((hour * 60 + minute) * 60 + second) * 1000 + fraction;
  const offset = (offsetHours * 60 + offsetMinutes) * 60_000 * (match[8] === '-' ? -1 : 1);
  const instant = local - offset;
  return instant >= earliest && instant <= latest ? instant : undefined;
}

/** The second that was formatted last, up to its milliseconds. */
let last = { second: Number.NaN, text: '' };

/** `instant`: whole milliseconds. What is written at a time has the same second, which takes a tenth of the time of another. */
export function formatInstant(instant: number): string {
  const second = Math.floor(instant / 1000);
  if (second !== last.second)
    last = { second, text: new Date(instant).toISOString().slice(0, -'678Z'.length) };
  return `${last.text}${String(instant - second * 1000).padStart(3, '0')}Z`;
}
