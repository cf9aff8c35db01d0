import { FolderOpen, Plus } from 'lucide';
import { useState } from 'preact/hooks';
import { useProjects } from '../../api.ts';
import { Button } from '../../parts/button.tsx';
import { Link } from '../../parts/link.tsx';
import { Badge, Empty, Loaded } from '../../parts/notes.tsx';
import { Page } from '../../parts/page.tsx';
import { Time } from '../../parts/time.tsx';
import { isProduction } from '../../production.ts';
import { texts } from '../../texts.ts';
import { CreateProject } from './create-project.tsx';
import { ProjectSize } from './project-size.tsx';

const { projects: words } = texts;

export function ProjectsScreen() {
  const projects = useProjects();
  const [creating, setCreating] = useState(false);
  const create = (
    <Button kind="primary" icon={Plus} onClick={() => setCreating(true)}>
      {words.create}
    </Button>
  );
  return (
    <Page title={words.title} intro={words.intro} actions={create}>
      <Loaded query={projects}>
        {(list) =>
          list.length === 0 ? (
            <Empty icon={FolderOpen} title={words.none}>
              <p>{words.noneHint}</p>
              {create}
            </Empty>
          ) : (
            <ul class="cards">
              {list.map(({ id, name, _createdAt }) => (
                <li key={id} class="card">
                  <Link to={`/${id}`} class="card-link">
                    <strong class="cut">{name}</strong>
                    <span class="quiet mono cut">{id}</span>
                  </Link>
                  <ProjectSize project={id} />
                  <span class="card-foot quiet">
                    {_createdAt && (
                      <span>
                        {words.created} <Time at={_createdAt} />
                      </span>
                    )}
                    {isProduction(id) && <Badge kind="production">{words.production}</Badge>}
                  </span>
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
      {creating && <CreateProject onClose={() => setCreating(false)} />}
    </Page>
  );
}
