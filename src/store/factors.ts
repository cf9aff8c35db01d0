/** The second factors of accounts: users by their id, administrators by their address. */
export interface Factors {
  /** Whether one is asked for at sign-in. */
  hasFactor(account: string): Promise<boolean>;
  /** Begins one, in place of an earlier that was not confirmed. false: there is one already. */
  beginFactor(account: string, secret: string): Promise<boolean>;
  /**
   * Counts a try as failed until it is settled, so that tries at the same moment are counted too. `retryAfter`: there were
   * as many failures as there may be; milliseconds.
   */
  beginTry(account: string, now: number): Promise<FactorTry | undefined>;
  /** The try at `now` was good. false: the code was used before, or is none of theirs. */
  settleTry(account: string, now: number, proof: FactorProof): Promise<boolean>;
  /**
   * The same for the first code, after which it is asked for. false: it is confirmed, or has another secret by now. `onlySession`: of a
   * user, whose other sign-ins end with it.
   */
  confirmFactor(
    account: string,
    now: number,
    first: { readonly secret: string; readonly step: number },
    codeDigests: readonly string[],
    onlySession?: string,
  ): Promise<boolean>;
  /** With its recovery codes. */
  removeFactor(account: string): Promise<boolean>;
}

export type FactorTry =
  | { readonly secret: string; readonly confirmed: boolean }
  | { readonly retryAfter: number };

/** The step of time of a code, or the digest of a recovery code. */
export type FactorProof = { readonly step: number } | { readonly recovery: string };

/** A part of a sign-in that is under way, known by the digest of a secret that its owner holds. */
export interface SignInStep {
  readonly digest: string;
  readonly kind: string;
  /** JSON. */
  readonly data: string;
  readonly expires: number;
}

export interface SignInSteps {
  /** Those that have expired go. */
  saveStep(step: SignInStep, now: number): Promise<void>;
  findStep(digest: string, kind: string, now: number): Promise<string | undefined>;
  /** The same, once. */
  spendStep(digest: string, kind: string, now: number): Promise<string | undefined>;
}
