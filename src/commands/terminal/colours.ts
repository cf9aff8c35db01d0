/** Colours a text if the terminal supports it. */
export type Paint = (colour: Colour, text: string) => string;
export type Colour = 'green' | 'yellow' | 'red' | 'bold' | 'dim';

const codes: Readonly<Record<Colour, number>> = { green: 32, yellow: 33, red: 31, bold: 1, dim: 2 };

export function painter(colour: boolean): Paint {
  return colour ? (name, text) => `\u001b[${codes[name]}m${text}\u001b[0m` : (_, text) => text;
}

/** `1,204 records`. */
export function counted(count: number, one: string): string {
  return `${count.toLocaleString('en-US')} ${one}${count === 1 ? '' : 's'}`;
}
