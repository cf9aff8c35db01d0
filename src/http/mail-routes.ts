import { Failure } from '../failure.ts';
import { mailPage, pageKinds } from '../mail/page/page.ts';
import { mailScript } from '../mail/page/script.ts';
import { mailStyle } from '../mail/page/style.ts';
import type { LinkKind } from '../model/mail-settings.ts';
import { asset } from './asset.ts';
import { pageHeaders } from './console-routes.ts';
import type { Route } from './route.ts';

/** The pages that links in mails lead to. They do not depend on the project, and use up no token. */
export function mailRoutes(): Route[] {
  return [
    asset('/_mail/style.css', 'text/css', mailStyle),
    asset('/_mail/script.js', 'text/javascript', `(${mailScript})();`),
    {
      path: '/_mail/:kind/:project',
      cors: false,
      verbs: {
        GET({ param }) {
          const kind = param('kind');
          if (!pageKinds.includes(kind)) throw new Failure('absent', `There is no page '${kind}' for mails`);
          return new Response(mailPage(kind as LinkKind), {
            headers: {
              'content-type': 'text/html; charset=utf-8',
              'cache-control': 'no-store',
              ...pageHeaders,
            },
          });
        },
      },
    },
  ];
}
