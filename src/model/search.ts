import type { Collection } from './collection.ts';
import { fieldType } from './field-types.ts';
import type { Values } from './payload.ts';

/** Separates the values of different fields, so that no phrase spans two of them. */
const separator = '\u0001';

/** ASCII without the separator. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: those are what it is about
const plain = /^[\0\x02-\x7f]*$/;

/** White space other than single spaces. */
const spaced = /\s{2,}|[^\S ]/;

/**
 * Removes the case of letters of any script. Converting to upper and then to lower case unifies letters that have several
 * lower-case forms (σ and ς, s and ſ), and to lower case before that ẞ with ß, which becomes SS; NFC unifies the ways to write an accented letter. Any run of white space becomes one
 * space, so that a phrase is found across line breaks too.
 */
export function fold(text: string): string {
  const folded = foldLetters(text);
  return spaced.test(folded) ? folded.replace(/\s+/g, ' ') : folded;
}

/** Long runs of combining marks, which no real letter has: normalizing them takes quadratic time. */
const manyMarks = /((?:(?!\u034f)\p{M}){30})(?=(?!\u034f)\p{M})/gu;

function foldLetters(text: string): string {
  if (plain.test(text)) return text.toLowerCase(); // the same result in a third of the time
  const cased = text.toLowerCase().toUpperCase().toLowerCase().replaceAll('ς', 'σ');
  const folded = cased.replace(manyMarks, '$1\u034f').normalize('NFC');
  return folded.includes(separator) ? folded.replaceAll(separator, '\u0002') : folded;
}

/** Splits `red "fast car"` into folded words and phrases. A quote that is not closed extends to the end. */
export function readSearch(query: string): string[] {
  if (query === '') return [];
  const words = [...query.matchAll(/"([^"]*)(?:"|$)|(\S+)/g)].map(([, phrase, word]) => phrase ?? word ?? '');
  return [...new Set(words.map(fold))].filter((word) => word.trim() !== '');
}

/** The searched values of a record as one folded text. */
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
