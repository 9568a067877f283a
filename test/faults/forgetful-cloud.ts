import { createServer } from 'node:http';
import { getStack } from '../integration/stack.ts';
import { given } from '../../providers/given.ts';

/** Filters of the look-ups of one Machine, and of many at once. */
const LOOK_UPS = ['machineUid', 'clientToken', 'name', 'machineUids', 'clientTokens', 'names'];

/** What "launch, once" rests on. */
export interface Forgets {
  /** No launch has a token: each makes an instance. */
  readonly tokens: boolean;
  /** No look-up by machine, token or name finds anything. */
  readonly lookUps: boolean;
}

interface CallBody {
  readonly clientToken?: string;
  readonly filters?: Readonly<Record<string, string>>;
}

/** Stands before the cloud and takes away what {@link Forgets} says: the control of the kill tests, where a double must show. */
export async function startForgetfulCloud({
  tokens,
  lookUps,
}: Forgets): Promise<{ readonly url: string; close(): void }> {
  const { cloud } = getStack();
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const text = Buffer.concat(chunks).toString();
      const body = text === '' ? undefined : (JSON.parse(text) as CallBody);
      const looksUp = lookUps && LOOK_UPS.some((key) => body?.filters?.[key] !== undefined);
      if (looksUp) {
        response.writeHead(200, { 'content-type': 'application/json' }).end('{"instances":[]}');
        return;
      }
      const changed = tokens && body !== undefined ? withoutToken(body) : body;
      fetch(`${cloud.endpoint}${request.url ?? '/'}`, {
        method: request.method ?? 'GET',
        headers: { 'content-type': 'application/json' },
        ...given({ body: changed && JSON.stringify(changed) }),
      })
        .then(async (answer) =>
          response.writeHead(answer.status, { 'content-type': 'application/json' }).end(await answer.text()),
        )
        .catch(() => response.destroy());
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return { url: `http://127.0.0.1:${address.port}`, close: () => server.close() };
}

function withoutToken({ clientToken: _clientToken, ...body }: CallBody): CallBody {
  return body;
}
