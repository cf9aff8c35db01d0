/** Second factors of accounts: of users by id, of administrators by address. */
export interface Factors {
  /** Whether a code is asked for at sign-in. */
  hasFactor(account: string): Promise<boolean>;
  /** Begins to set one up, in place of an earlier one that was not confirmed. false: there is one already. */
  beginFactor(account: string, secret: string): Promise<boolean>;
  /**
   * Counts a try as failed until it is settled, so that tries at the same moment count too. `retryAfter`: there were too many
   * failures; milliseconds.
   */
  beginTry(account: string, now: number): Promise<FactorTry | undefined>;
  /** The try at `now` was right. false: the code was used before, or is not one of theirs. */
  settleTry(account: string, now: number, proof: FactorProof): Promise<boolean>;
  /**
   * The same for the first code; from then on one is asked for. false: it is confirmed already, or has another secret by now.
   * `onlySession`: the one session of a user that does not end with it.
   */
  confirmFactor(
    account: string,
    now: number,
    first: { readonly secret: string; readonly step: number },
    codeDigests: readonly string[],
    onlySession?: string,
  ): Promise<boolean>;
  /** Also removes its recovery codes. */
  removeFactor(account: string): Promise<boolean>;
}

export type FactorTry =
  | { readonly secret: string; readonly confirmed: boolean }
  | { readonly retryAfter: number };

/** The time step of a code, or the digest of a recovery code. */
export type FactorProof = { readonly step: number } | { readonly recovery: string };

/** A sign-in that has begun and waits for its next step; found by the digest of a secret that the client holds. */
export interface SignInStep {
  readonly digest: string;
  readonly kind: string;
  /** JSON. */
  readonly data: string;
  readonly expires: number;
}

export interface SignInSteps {
  /** Also removes steps that have expired. */
  saveStep(step: SignInStep, now: number): Promise<void>;
  findStep(digest: string, kind: string, now: number): Promise<string | undefined>;
  /** The same, but only once. */
  spendStep(digest: string, kind: string, now: number): Promise<string | undefined>;
}
