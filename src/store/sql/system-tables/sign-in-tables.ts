import type { TableStyle } from './table-style.ts';

/** Second factors, identities at other providers, and sign-ins between two steps. */
export const signInTables = (style: TableStyle) => {
  const { at, text } = style;
  return `
  ${factorTables(style, { factors: 'factors', codes: 'recovery_codes', steps: 'sign_in_steps' })}
  CREATE INDEX recovery_codes_account ON ${at}recovery_codes (account);
  CREATE INDEX sign_in_steps_expires ON ${at}sign_in_steps (expires);
  CREATE TABLE ${at}identities (
    id ${text} PRIMARY KEY,
    account ${text} NOT NULL,
    provider ${text} NOT NULL,
    issuer ${text} NOT NULL,
    subject ${text} NOT NULL,
    email ${text} NOT NULL,
    created bigint NOT NULL,
    UNIQUE (issuer, subject)
  );
  CREATE INDEX identities_account ON ${at}identities (account);`;
};

interface FactorNames {
  readonly factors: string;
  readonly codes: string;
  readonly steps: string;
}

/** Users and administrators have the same tables, under different names. */
export const factorTables = ({ at, text }: TableStyle, { factors, codes, steps }: FactorNames) => `
  CREATE TABLE ${at}${factors} (
    account ${text} PRIMARY KEY,
    secret ${text} NOT NULL,
    confirmed bigint NOT NULL,
    step bigint NOT NULL,
    failures ${text} NOT NULL
  );
  CREATE TABLE ${at}${codes} (digest ${text} PRIMARY KEY, account ${text} NOT NULL);
  CREATE TABLE ${at}${steps} (
    digest ${text} PRIMARY KEY,
    kind ${text} NOT NULL,
    data ${text} NOT NULL,
    expires bigint NOT NULL
  );`;
