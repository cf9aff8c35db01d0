import { VitrineError } from '../client/client.ts';

/** The server's messages, by place: `price`, `tags[2]`, `fields.price.min`. */
export type Faults = Readonly<Record<string, string>>;

export const faultsOf = (error: unknown): Faults => (error instanceof VitrineError ? error.fields : {});

/** Whether it is this place or below it: `tags[2]` and `tags.a` are below `tags`, and all is below an empty text. */
const isWithin = (at: string, place: string) =>
  place === '' || at === place || at.startsWith(`${place}.`) || at.startsWith(`${place}[`);

const select = (faults: Faults, matches: (at: string) => boolean): Faults =>
  Object.fromEntries(Object.entries(faults).filter(([at]) => matches(at)));

/** What a control shows: the message for its place and those for places below it, which say where. */
export function faultAt(faults: Faults, place: string): string | undefined {
  const found = Object.entries(select(faults, (at) => isWithin(at, place)));
  const start = place.lastIndexOf('.') + 1;
  const messages = found.map(([at, message]) => (at === place ? message : `${at.slice(start)}: ${message}`));
  return messages.length === 0 ? undefined : messages.join('; ');
}

/** The messages below a place, by the rest of their places: `fields.price.min` becomes `min`, and `fields.price` an empty text. */
export function faultsBelow(faults: Faults, place: string): Faults {
  const below = Object.entries(select(faults, (at) => at === place || at.startsWith(`${place}.`)));
  return Object.fromEntries(below.map(([at, message]) => [at.slice(place.length + 1), message]));
}

/** The messages that the controls of these places do not show. */
export const faultsBeside = (faults: Faults, places: readonly string[]): Faults =>
  select(faults, (at) => !places.some((place) => isWithin(at, place)));

/** Whether something of an error is not shown by the controls of these places. */
export function isElsewhere(error: unknown, places: readonly string[]): boolean {
  if (!(error instanceof VitrineError)) return error !== undefined;
  const shown = Object.values(error.fields).flatMap((message) => message.split('; '));
  // A part of the message may be about no place that the client could read.
  const isWhole = error.message.split('; ').every((part) => shown.some((text) => part.endsWith(`: ${text}`)));
  return !isWhole || Object.keys(faultsBeside(error.fields, places)).length > 0;
}
