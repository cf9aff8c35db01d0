import type { ComponentChildren } from 'preact';
import type { Definition } from '../../client/admin.ts';
import { useDefinition } from '../api.ts';
import type { Params } from '../router.ts';
import { CollectionTabs } from './collection-tabs.tsx';
import { NotFound } from './not-found.tsx';
import { NotRead, Skeleton } from './notes.tsx';
import { Page, type PageProps } from './page.tsx';

interface CollectionPageProps extends Omit<PageProps, 'title' | 'above'> {
  readonly project: string;
  readonly collection: Definition;
  /** The title of the browser tab: `Access to Products`. */
  readonly called: string;
}

/** The same header for every screen of a collection, so that its name and the tabs do not move from one to the next. */
export function CollectionPage({ project, collection, ...rest }: CollectionPageProps) {
  const { id, name = id } = collection;
  return <Page {...rest} title={name} above={<CollectionTabs project={project} collection={id} />} />;
}

interface WithCollectionProps {
  readonly params: Params;
  readonly children: (collection: Definition, all: readonly Definition[]) => ComponentChildren;
}

/** Renders its children with the collection named in the URL; until then a skeleton, or why it is not there. */
export function WithCollection({ params, children }: WithCollectionProps) {
  const { project = '', collection = '' } = params;
  const { definition, all, error, refetch } = useDefinition(project, collection);
  if (definition && all) return <>{children(definition, all)}</>;
  return (
    <Page title={collection}>
      {error && !all ? (
        <NotRead error={error} onRetry={() => void refetch()} />
      ) : all ? (
        <NotFound project={project} />
      ) : (
        <Skeleton lines={8} />
      )}
    </Page>
  );
}
