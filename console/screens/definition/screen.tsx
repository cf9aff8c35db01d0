import { messageOf, useCollections } from '../../api.ts';
import { Empty, ErrorNote, Skeleton } from '../../parts/notes.tsx';
import { Page } from '../../parts/page.tsx';
import type { ScreenProps } from '../../routes.ts';
import { texts } from '../../texts.ts';
import { Editor } from './editor.tsx';

const { definition: words } = texts;

/** The definition of a collection that is there; `_new` in its place for one that is not. */
export function DefinitionScreen({ params: { project = '', collection } }: ScreenProps) {
  const collections = useCollections(project);
  const saved = collections.data?.find(({ id }) => id === collection);
  if (collections.data && (saved || collection === undefined)) {
    return <Editor project={project} saved={saved} collections={collections.data} />;
  }
  return (
    <Page title={collection ?? words.newTitle}>
      {collections.error && !collections.data ? (
        <ErrorNote message={messageOf(collections.error)} onRetry={() => void collections.refetch()} />
      ) : collections.data ? (
        <Empty title={texts.notFound}>
          <p>{texts.notFoundHint}</p>
        </Empty>
      ) : (
        <Skeleton lines={8} />
      )}
    </Page>
  );
}
