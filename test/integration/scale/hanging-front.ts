import { listenOnLoopback } from '../../../devstack/doubles/loopback-server.ts';
import { readBody } from '../../../devstack/doubles/cloud/wire/request-body.ts';
import { given } from '../../../providers/given.ts';

/** A front of the simulated cloud, behind which instances of some credentials cannot be reached: nothing is answered there. */
export interface HangingFront {
  readonly endpoint: string;
  /** Requests that were never answered. */
  readonly unanswered: number;
  close(): Promise<void>;
}

/**
 * What the cloud has on offer is told everywhere, so that machines come as far as their launch.
 * @param token shown by the credentials whose cloud hangs
 */
export async function startHangingFront(target: string, token: string): Promise<HangingFront> {
  let unanswered = 0;
  const server = await listenOnLoopback(async (request, response) => {
    const { method = 'GET', url = '/', headers } = request;
    const { authorization } = headers;
    const body = await readBody(request);
    if (authorization === `Bearer ${token}` && url.startsWith('/instances')) {
      unanswered += 1;
      return;
    }
    const answer = await fetch(`${target}${url}`, {
      method,
      headers: {
        'content-type': 'application/json',
        ...given({ authorization }),
      },
      ...given({ body: method === 'GET' ? undefined : body }),
    });
    response.writeHead(answer.status, { 'content-type': 'application/json' }).end(await answer.text());
  });
  return {
    endpoint: server.endpoint,
    get unanswered() {
      return unanswered;
    },
    close: () => server.close(),
  };
}
