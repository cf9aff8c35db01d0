/**
 * A request that can be sent to any number of products. What only one of them knows has a name in it: an id the
 * shape of one, from the step whose answer it was in; tokens and cursors `@accessToken.3`, likewise.
 */
export interface Step {
  /** Its number in the sequence, which it keeps when others are left out. */
  readonly n: number;
  readonly verb: string;
  /** `:project` stands for the project. */
  readonly path: string;
  /** As it is sent. */
  readonly body?: string | undefined;
  readonly token?: string | undefined;
  readonly headers?: Readonly<Record<string, string>>;
  /** Milliseconds that pass before it. */
  readonly wait?: number;
  /** Sent at the same moment as those before and behind it that have the same number here. */
  readonly burst?: number | undefined;
}

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** With names in place of what differs between any two products. */
  readonly text: string;
}

export interface Difference {
  readonly step: Step;
  readonly sqlite: Answer;
  readonly postgres: Answer;
}

const hex = (number: number, digits: number) => number.toString(16).padStart(digits, '0');

export const idName = (step: number, nth: number) => `dddddddd-${hex(step, 4)}-7000-8000-${hex(nth, 12)}`;

/** Of the records that a step makes: the same in both products, as one that became text can be searched for. */
export const recordId = (step: number, nth: number) => `dddddddd-${hex(step, 4)}-7000-9000-${hex(nth, 12)}`;
export const anyId = /[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}/g;

/** What a caller is given to send back. */
export const secrets = ['accessToken', 'refreshToken', 'key', 'next'] as const;
export const anySecret = new RegExp(`@(?:${secrets.join('|')})\\.\\d+`, 'g');
