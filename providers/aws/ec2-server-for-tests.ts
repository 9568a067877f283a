/** For tests: an HTTP server that answers the query API of EC2 and of the load balancers with what it is told. */

import { createServer } from 'node:http';

/** A request, as the form that its body is. */
export interface SeenCall {
  readonly action: string;
  readonly form: Readonly<Record<string, string>>;
  /** The access key id it is signed with. */
  readonly signedBy: string;
}

export interface CannedAnswer {
  /** @default 200 */
  readonly status?: number;
  readonly body: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Milliseconds until it is sent. @default 0 */
  readonly afterMs?: number;
}

/** Makes the answer to a call; `reset` cuts the connection. */
export type Responder = (call: SeenCall) => CannedAnswer | 'reset';

export interface Ec2TestServer {
  readonly url: string;
  readonly calls: SeenCall[];
  /** What actions get from now on; the newest counts. */
  on(action: string, respond: Responder): void;
  close(): Promise<void>;
}

export async function startEc2TestServer(): Promise<Ec2TestServer> {
  const calls: SeenCall[] = [];
  const responders = new Map<string, Responder>();
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const form = Object.fromEntries(new URLSearchParams(Buffer.concat(chunks).toString('utf8')));
      const signedBy = /Credential=([^/]+)\//.exec(request.headers.authorization ?? '')?.[1] ?? '';
      const call: SeenCall = { action: form['Action'] ?? '', form, signedBy };
      calls.push(call);
      const answer = responders.get(call.action)?.(call) ?? { status: 500, body: 'no answer is set' };
      if (answer === 'reset') {
        request.socket.destroy();
        return;
      }
      setTimeout(() => {
        response.writeHead(answer.status ?? 200, { 'content-type': 'text/xml', ...answer.headers }).end(answer.body);
      }, answer.afterMs ?? 0);
    });
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return {
    url: `http://127.0.0.1:${port}`,
    calls,
    on: (action, respond) => responders.set(action, respond),
    close: () => {
      server.closeAllConnections();
      return new Promise((closed) => server.close(() => closed()));
    },
  };
}

/** An error as EC2 writes it. */
export function ec2Error(code: string, message = 'no', status = 400): CannedAnswer {
  return {
    status,
    body: `<Response><Errors><Error><Code>${code}</Code><Message>${escape(message)}</Message></Error></Errors></Response>`,
  };
}

/** An error as the load balancers write it. */
export function elbError(code: string, message = 'no', status = 400): CannedAnswer {
  return {
    status,
    body: `<ErrorResponse><Error><Type>Sender</Type><Code>${code}</Code><Message>${escape(message)}</Message></Error></ErrorResponse>`,
  };
}

/** The account that all instances are in. */
const ACCOUNT = '123456789012';

export interface CannedInstance {
  readonly id: string;
  readonly state?: string;
  readonly tags?: Readonly<Record<string, string>>;
  readonly token?: string;
  readonly more?: string;
}

/** The answer to DescribeInstances. */
export function reservations(instances: readonly CannedInstance[], nextToken?: string): CannedAnswer {
  const items = instances.map(
    (one) => `<item><ownerId>${ACCOUNT}</ownerId><instancesSet>${instanceItem(one)}</instancesSet></item>`,
  );
  const next = nextToken === undefined ? '' : `<nextToken>${nextToken}</nextToken>`;
  return {
    body: `<DescribeInstancesResponse><reservationSet>${items.join('')}</reservationSet>${next}</DescribeInstancesResponse>`,
  };
}

/** The answer to GetCallerIdentity. */
export function identity(account: string): CannedAnswer {
  return {
    body: `<GetCallerIdentityResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><GetCallerIdentityResult><Account>${account}</Account></GetCallerIdentityResult></GetCallerIdentityResponse>`,
  };
}

/** The answer to RunInstances. */
export function launched(instance: CannedInstance): CannedAnswer {
  return {
    body: `<RunInstancesResponse><ownerId>${ACCOUNT}</ownerId><instancesSet>${instanceItem(instance)}</instancesSet></RunInstancesResponse>`,
  };
}

function instanceItem({ id, state = 'running', tags = {}, token = '', more = '' }: CannedInstance): string {
  const tagItems = Object.entries(tags).map(([key, value]) => `<item><key>${key}</key><value>${value}</value></item>`);
  return (
    `<item><instanceId>${id}</instanceId><instanceState><name>${state}</name></instanceState>` +
    `<instanceType>m6i.large</instanceType><placement><availabilityZone>eu-west-1b</availabilityZone></placement>` +
    `<clientToken>${token}</clientToken><tagSet>${tagItems.join('')}</tagSet>` +
    `<launchTime>2026-01-02T03:04:05.000Z</launchTime>${more}</item>`
  );
}

function escape(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
