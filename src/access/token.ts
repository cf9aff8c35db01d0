import { decodeJwt, jwtVerify, SignJWT } from 'jose';

/** The claims of an access token. */
export interface Claims {
  readonly user: string;
  readonly workspace: string | null;
  /** The session it was issued for, which may end at any time. */
  readonly session: string;
  /** Seconds since 1970. */
  readonly expires: number;
  /** Valid only for setting up the second factor that the project requires. */
  readonly enrols?: true;
  /** Who acts for the user, as the audit names them. */
  readonly act?: string;
  /** A digest of that administrator's password or key: the token becomes invalid when it changes. */
  readonly actBy?: string;
}

const mostRemembered = 10_000;

/** Issues and verifies the access tokens of one project. */
export class Tokens {
  readonly #project: string;
  readonly #key: Uint8Array;
  /** Tokens whose signature was verified, so that each is verified once. Sessions are not checked here. */
  readonly #verified = new Map<string, Claims>();

  constructor(project: string, key: Uint8Array) {
    this.#project = project;
    this.#key = key;
  }

  issue({ user, workspace, session, expires, enrols, act, actBy }: Claims, now: number): Promise<string> {
    return new SignJWT({
      workspace,
      session,
      ...(enrols && { enrols }),
      ...(act !== undefined && { act: { sub: act }, actBy }),
    })
      .setProtectedHeader({ alg: 'HS256', typ: 'JWT' })
      .setSubject(user)
      .setAudience(this.#project)
      .setIssuedAt(Math.floor(now / 1000))
      .setExpirationTime(expires)
      .sign(this.#key);
  }

  /** The claims of a token that was verified before and has not expired; synchronous. */
  findVerified(token: string, now: number): Claims | undefined {
    const claims = this.#verified.get(token);
    return claims && claims.expires * 1000 > now ? claims : undefined;
  }

  /** undefined: malformed, forged, expired or for another project. */
  async verify(token: string, now: number): Promise<Claims | undefined> {
    try {
      const options = { algorithms: ['HS256'], audience: this.#project, currentDate: new Date(now) };
      const { payload } = await jwtVerify(token, this.#key, options);
      const { sub, exp, workspace, session, enrols, act, actBy } = payload;
      if (!sub || !exp || typeof session !== 'string') return undefined;
      const claims: Claims = {
        user: sub,
        workspace: typeof workspace === 'string' ? workspace : null,
        session,
        expires: exp,
        ...(enrols === true && { enrols }),
        ...(act !== undefined && { act: String((act as { sub?: unknown }).sub), actBy: String(actBy) }),
      };
      this.#remember(token, claims);
      return claims;
    } catch {
      return undefined;
    }
  }

  #remember(token: string, claims: Claims): void {
    if (this.#verified.size >= mostRemembered) {
      const [oldest] = this.#verified.keys();
      if (oldest !== undefined) this.#verified.delete(oldest);
    }
    this.#verified.set(token, claims);
  }
}

/** The project that an access token names; nothing is verified. */
export function projectOfToken(token: string): string | undefined {
  try {
    const { aud } = decodeJwt(token);
    return typeof aud === 'string' ? aud : undefined;
  } catch {
    return undefined;
  }
}

/** When a valid access token expires, in milliseconds since 1970; Infinity if it is not one. */
export function endOfToken(token: string): number {
  try {
    const { exp } = decodeJwt(token);
    return exp === undefined ? Number.POSITIVE_INFINITY : exp * 1000;
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}
