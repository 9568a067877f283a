import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { given } from '../../providers/given.ts';

export interface ReadinessProbe {
  readonly url: string;
  /** Bearer token to send. */
  readonly token?: string;
  /** Authorization to send in place of a token. */
  readonly authorization?: string;
  /** PEM to trust; absent: any certificate, as everything listens on loopback only. */
  readonly ca?: string;
}

/** How long one probe may take, in milliseconds. */
const PROBE_TIMEOUT_MS = 2000;

/** True where a GET is answered with 200. Never rejects: a server that does not listen yet is not ready. */
export function answersOk(probe: ReadinessProbe): Promise<boolean> {
  const authorization = probe.authorization ?? (probe.token === undefined ? undefined : `Bearer ${probe.token}`);
  const request = probe.url.startsWith('https:') ? httpsRequest : httpRequest;
  return new Promise((resolve) => {
    const outgoing = request(
      probe.url,
      {
        agent: false,
        timeout: PROBE_TIMEOUT_MS,
        headers: given({ authorization }),
        ...(probe.ca === undefined ? { rejectUnauthorized: false } : { ca: probe.ca }),
      },
      (response) => {
        response.resume();
        resolve(response.statusCode === 200);
      },
    );
    outgoing.once('timeout', () => outgoing.destroy());
    outgoing.once('error', () => resolve(false));
    outgoing.once('close', () => resolve(false));
    outgoing.end();
  });
}
