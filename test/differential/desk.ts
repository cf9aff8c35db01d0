import type { Json } from '../../src/model/json.ts';
import type { Dice } from '../reference/dice.ts';
import type { Questions } from '../reference/generate.ts';
import type { Known } from './known.ts';
import type { Payloads } from './payloads.ts';
import type { Step } from './step.ts';

/** A step as far as what it asks for goes. */
export type Request = Omit<Step, 'n'>;

/** What is at hand to make a step of. */
export interface Desk {
  readonly dice: Dice;
  readonly known: Known;
  readonly questions: Questions;
  readonly payloads: Payloads;
  readonly peopled: boolean;
}

export const projectPath = '/v1/:project';
export const managePath = '/v1/_admin/projects/:project';

/** Mostly somebody who gets something. */
export function pickToken({ dice, known, peopled }: Desk): string | undefined {
  if (!peopled) return dice.chance(2) ? '@accessToken.0' : dice.pick([undefined, undefined, 'admin']);
  return dice.pick([undefined, 'admin', ...known.tokens.slice(-6), ...known.tokens.slice(-6)]);
}

export const json = (body: Json) => JSON.stringify(body);
