import { useEffect } from 'preact/hooks';
import { texts } from '../texts.ts';
import { Link } from './link.tsx';
import { Empty } from './notes.tsx';

/** For URLs that lead to nothing: links to a place that exists. */
export function NotFound({ project }: { project?: string }) {
  useEffect(() => {
    document.title = `${texts.notFound} · ${texts.product}`;
  }, []);
  return (
    <Empty title={texts.notFound}>
      <p>{texts.notFoundHint}</p>
      <Link to={project === undefined ? '/' : `/${project}`} class="button">
        {project === undefined ? texts.nav.allProjects : texts.nav.collections}
      </Link>
    </Empty>
  );
}
