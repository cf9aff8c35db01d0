import { RateLimit } from '../access/rate-limit.ts';
import { defaultLimits, type Limits } from '../http/services.ts';
import { defaultMostFields } from '../model/read-collection.ts';
import { largestAnswer } from '../store/sizes.ts';
import type { Flags, FlagValues } from './flags.ts';

const limit = (summary: string, fallback: number) =>
  ({ kind: 'number', summary, fallback: String(fallback), least: Math.min(1, fallback) }) as const;

export const limitFlags: Flags = {
  'body-limit': limit('The largest request body, in bytes', defaultLimits.body.bytes),
  'batch-body-limit': limit('The largest body of a batch, in bytes', defaultLimits.batchBody.bytes),
  'batch-limit': limit('The most operations of a batch', defaultLimits.records.batchOperations),
  'page-limit': limit('The largest perPage', defaultLimits.records.perPage),
  'fields-limit': limit('The most fields of a collection', defaultMostFields),
  'url-limit': limit('The longest address, in characters', defaultLimits.url),
  'depth-limit': limit('The deepest nesting of a JSON body', defaultLimits.body.depth),
  'answer-limit': {
    kind: 'number',
    summary: 'The largest answer, in bytes; what it includes, and one field of distinct, a quarter of it',
    fallback: String(largestAnswer),
    least: 1024,
  },
  'reads-at-once': limit('Expensive reads of one caller at once', defaultLimits.atOnce.reads),
  'exports-at-once': limit('Exports of one caller at once', defaultLimits.atOnce.exports),
  'passwords-at-once': limit('Checks of passwords for one caller at once', defaultLimits.atOnce.passwords),
  'streams-at-once': limit('Streams of changes of one caller at once', defaultLimits.atOnce.streams),
  'rate-limit': limit('Requests a second of one caller to the record API, at each worker; 0 for no limit', 0),
  'rate-burst': limit('How many of them at once after a pause; 0 for two seconds worth', 0),
};

export function readLimits(flags: FlagValues): Limits {
  const depth = flags.number('depth-limit');
  return {
    body: { ...defaultLimits.body, bytes: flags.number('body-limit'), depth },
    batchBody: { ...defaultLimits.batchBody, bytes: flags.number('batch-body-limit'), depth },
    records: {
      perPage: flags.number('page-limit'),
      batchOperations: flags.number('batch-limit'),
      batchWork:
        flags.number('batch-body-limit') * (defaultLimits.records.batchWork / defaultLimits.batchBody.bytes),
    },
    url: flags.number('url-limit'),
    atOnce: {
      reads: flags.number('reads-at-once'),
      exports: flags.number('exports-at-once'),
      passwords: flags.number('passwords-at-once'),
      streams: flags.number('streams-at-once'),
    },
  };
}

export function readRateLimit(flags: FlagValues): RateLimit | undefined {
  const perSecond = flags.number('rate-limit');
  return perSecond === 0 ? undefined : new RateLimit(perSecond, flags.number('rate-burst') || perSecond * 2);
}
