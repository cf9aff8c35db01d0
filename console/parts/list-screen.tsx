import { type IconNode, Plus } from 'lucide';
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { Button } from './button.tsx';
import { Listing, type ListingColumn } from './listing.tsx';
import type { Asked } from './notes.tsx';
import { Page } from './page.tsx';
import { ShownOnce } from './shown-once.tsx';

/** Shows a secret that can't be read again. */
export type ShowOnce = (secret: string | undefined) => void;

interface ListScreenProps<T> {
  readonly words: {
    readonly title: string;
    readonly intro: string;
    readonly create: string;
    readonly none: string;
    readonly noneHint: string;
    /** Where creating one, or an action on one, yields a secret. */
    readonly once?: {
      readonly title: string;
      readonly text: string;
      readonly label: string;
      readonly done: string;
    };
  };
  readonly icon: IconNode;
  readonly query: Asked<readonly T[]>;
  readonly keyOf: (row: T) => string;
  readonly columns: readonly ListingColumn<T>[];
  readonly actions: (row: T, showOnce: ShowOnce) => ComponentChildren;
  /** The dialog that creates one. */
  readonly creator: (onClose: () => void, showOnce: ShowOnce) => ComponentChildren;
  /** Below the list. */
  readonly children?: ComponentChildren;
}

/** A list of the management API, with a button that creates an entry, and actions for each. */
export function ListScreen<T>(props: ListScreenProps<T>) {
  const { words, icon, query, keyOf, columns, actions, creator, children } = props;
  const [creating, setCreating] = useState(false);
  const [secret, setSecret] = useState<string>();
  const create = (
    <Button kind="primary" icon={Plus} onClick={() => setCreating(true)}>
      {words.create}
    </Button>
  );
  return (
    <Page title={words.title} intro={words.intro} actions={create}>
      <Listing
        query={query}
        keyOf={keyOf}
        columns={columns}
        actions={(row) => actions(row, setSecret)}
        empty={{ icon, title: words.none, hint: words.noneHint, action: create }}
      />
      {children}
      {creating && creator(() => setCreating(false), setSecret)}
      {secret !== undefined && words.once && (
        <ShownOnce {...words.once} secret={secret} onClose={() => setSecret(undefined)} />
      )}
    </Page>
  );
}
