import { type Argon2Parameters, argon2, randomBytes, timingSafeEqual } from 'node:crypto';

/** The cost of a hash: kibibytes, passes, lanes. */
export interface Cost {
  readonly memoryCost: number;
  readonly timeCost: number;
  readonly parallelism: number;
}

/** Both implementations use the PHC format: `$argon2id$v=19$m=19456,t=2,p=1$<salt>$<tag>`. */
export interface Argon2 {
  hash(password: string, cost: Cost): Promise<string>;
  verify(hash: string, password: string): Promise<boolean>;
}

/**
 * Native code, which takes two thirds of the time, if it can be loaded. The single executable contains it for the platform it was
 * built on, and unpacks it into the temporary folder: it can't be loaded on another platform, or if that folder is `noexec`.
 */
export const loadArgon2 = (): Promise<Argon2> =>
  import('@node-rs/argon2').then(
    (native): Argon2 => native,
    () => builtInArgon2,
  );

const [saltBytes, tagBytes] = [16, 32];
const form = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]+)$/;

/** The runtime's own implementation. */
export const builtInArgon2: Argon2 = {
  async hash(password, cost) {
    const { memoryCost, timeCost, parallelism } = cost;
    const salt = randomBytes(saltBytes);
    const tag = await tagOf(password, salt, cost, tagBytes);
    return `$argon2id$v=19$m=${memoryCost},t=${timeCost},p=${parallelism}$${encode(salt)}$${encode(tag)}`;
  },
  async verify(hash, password) {
    const [, memory, passes, lanes, salt = '', tag = ''] = form.exec(hash) ?? [];
    if (tag === '') throw new Error('the stored hash is not one of argon2id');
    const cost = {
      memoryCost: Number(memory),
      timeCost: Number(passes),
      parallelism: Number(lanes),
    };
    const expected = Buffer.from(tag, 'base64');
    const found = await tagOf(password, Buffer.from(salt, 'base64'), cost, expected.length);
    return timingSafeEqual(found, expected);
  },
};

function tagOf(message: string, nonce: Buffer, cost: Cost, tagLength: number): Promise<Buffer> {
  const { memoryCost: memory, timeCost: passes, parallelism } = cost;
  const parameters: Argon2Parameters = { message, nonce, parallelism, tagLength, memory, passes };
  return new Promise((resolve, reject) => {
    argon2('argon2id', parameters, (error, tag) => (error ? reject(error) : resolve(tag)));
  });
}

const encode = (bytes: Buffer) => bytes.toString('base64').replace(/=+$/, '');
