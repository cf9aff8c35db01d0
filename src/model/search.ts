import type { Collection } from './collection.ts';
import { fieldType } from './field-types.ts';
import type { Values } from './payload.ts';

/** Stands between the values of different fields, so that no phrase spans two of them. */
const separator = '\u0001';

/** ASCII without the separator. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: those are what it is about
const plain = /^[\0\x02-\x7f]*$/;

/** White space other than single blanks. */
const spaced = /\s{2,}|[^\S ]/;

/**
 * Letters of any script without their case. Upper then lower case brings together what has several
 * lower-case forms (σ and ς, s and ſ); NFC brings together the ways to write one accented letter. White space, however
 * much of it and of whatever kind, is one blank: a phrase is found over a line's end too.
 */
export function fold(text: string): string {
  const folded = foldLetters(text);
  return spaced.test(folded) ? folded.replace(/\s+/g, ' ') : folded;
}

/** Marks that follow one another, which no letter has so many of: to bring them into order takes as long as their square. */
const manyMarks = /((?:(?!\u034f)\p{M}){30})(?=(?!\u034f)\p{M})/gu;

function foldLetters(text: string): string {
  if (plain.test(text)) return text.toLowerCase(); // the same, for a third of the time
  const cased = text.toUpperCase().toLowerCase().replaceAll('ς', 'σ');
  const folded = cased.replace(manyMarks, '$1\u034f').normalize('NFC');
  return folded.includes(separator) ? folded.replaceAll(separator, '\u0002') : folded;
}

/** `red "fast car"` to its words and phrases, folded. An opening quote without a closing one reaches to the end. */
export function readSearch(query: string): string[] {
  const words = [...query.matchAll(/"([^"]*)(?:"|$)|(\S+)/g)].map(([, phrase, word]) => phrase ?? word ?? '');
  return [...new Set(words.map(fold))].filter((word) => word.trim() !== '');
}

/** All that `search` looks at in a record, as one folded text. */
export function searchText(collection: Collection, values: Values): string {
  const texts: string[] = [];
  for (const field of collection.fields.values()) {
    if (!fieldType(field).searchable(field)) continue;
    const value = values[field.name];
    if (typeof value === 'string') texts.push(value);
    else if (Array.isArray(value)) for (const item of value as string[]) texts.push(item);
  }
  return texts.length === 0 ? '' : texts.map(fold).join(separator);
}
