import { type Caller, nobody } from '../access/caller.ts';
import type { Project } from '../catalog/project.ts';
import { audienceOf } from '../describe/audience.ts';
import { definitionSchema } from '../describe/definition-schema.ts';
import { docsScript } from '../describe/docs/script.ts';
import { docsStyle } from '../describe/docs/style.ts';
import { type Described, type DescribedProject, docsText, openapiText } from '../describe/document.ts';
import { asset, isCurrent } from './asset.ts';
import { authenticate, isAdministrator } from './authenticate.ts';
import { pageHeaders } from './console-routes.ts';
import { openHeaders } from './cors.ts';
import { refuseQuery } from './refuse-query.ts';
import { openSuccess, success } from './respond.ts';
import type { Handler, Incoming, Route } from './route.ts';
import type { Services } from './services.ts';

/** Most projects that `GET /v1` lists; the management API lists all. */
const mostProjects = 1_000;

/** Routes whose response is the same for everybody. */
export function staticRoutes(): Route[] {
  return [
    {
      path: '/',
      cors: false,
      verbs: {
        // Relative, so that it works behind a path prefix.
        GET: () => new Response(null, { status: 302, headers: { location: '_console/' } }),
      },
    },
    asset('/v1/_admin/schema.json', 'application/schema+json', JSON.stringify(definitionSchema())),
    asset('/_docs/style.css', 'text/css', docsStyle),
    asset('/_docs/script.js', 'text/javascript', `(${docsScript})();`),
  ];
}

/** Descriptions of the API for machines and people, which depend on the caller. */
export function describeRoutes(services: Services): Route[] {
  const describing = (
    answer: (caller: Caller, described: DescribedProject) => Response | Promise<Described>,
  ): Handler => {
    return (incoming) => {
      const work = async (project: Project) => {
        const caller = await authenticate(services, incoming.request.headers, project, true);
        refuseQuery(incoming.query);
        // Users who must still set up a second factor can use no more than anonymous callers, but need to read how to do it.
        const enrols = caller.kind === 'user' && caller.enrols;
        const made = await answer(enrols ? nobody : caller, await described(services, project));
        return made instanceof Response ? made : document(incoming, made);
      };
      return services.catalog.use(incoming.param('project'), work, 'fresh');
    };
  };
  return [
    { path: '/v1', cors: false, verbs: { GET: (incoming) => instance(services, incoming) } },
    { path: '/v1/:project', cors: true, verbs: { GET: describing(overview) } },
    { path: '/v1/:project/_openapi.json', cors: true, verbs: { GET: describing(openapiText) } },
    { path: '/v1/:project/_docs', cors: true, verbs: { GET: describing(docsText) } },
  ];
}

async function described({ catalog, limits }: Services, project: Project): Promise<DescribedProject> {
  return {
    schema: project.schema,
    project: await catalog.requireProject(project.id),
    limits: limits.records,
  };
}

async function instance(services: Services, { request, query }: Incoming): Promise<Response> {
  const administrator = await isAdministrator(services, request.headers);
  refuseQuery(query);
  const about = { name: 'Vitrine', docs: '/v1/:project/_docs' };
  if (!administrator) return success(200, JSON.stringify(about));
  const { found } = await services.catalog.listProjects({ limit: mostProjects, offset: 0 });
  const projects = found.map(({ id, name }) => ({ id, name, docs: `/v1/${id}/_docs` }));
  return success(200, JSON.stringify({ ...about, projects }));
}

function overview(caller: Caller, { schema, project: { id, name } }: DescribedProject): Response {
  const usable = [...audienceOf(caller, schema).collections.values()];
  const collections = usable.map(({ definition, methods }) => {
    return { id: definition.id, name: definition.name, methods: [...methods] };
  });
  const result = { id, name, collections, openapi: `/v1/${id}/_openapi.json`, docs: `/v1/${id}/_docs` };
  return openSuccess({ status: 200, result: JSON.stringify(result), headers: personal });
}

/** The response depends on the caller. */
const personal = { vary: 'Authorization', 'cache-control': 'private, no-cache' };

function document(incoming: Incoming, { text, type, etag }: Described): Response {
  const headers = { ...openHeaders, ...pageHeaders, ...personal, etag };
  if (isCurrent(incoming, etag)) return new Response(null, { status: 304, headers });
  return new Response(text, { headers: { ...headers, 'content-type': type } });
}
