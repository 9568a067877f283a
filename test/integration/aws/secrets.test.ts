import { readdir, readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { expect, test } from '@jest/globals';
import { Client, Connection } from '@temporalio/client';
import { MACHINES } from '../../../k8s/dialects/openshift/resources.ts';
import { SECRETS } from '../../../k8s/resources.ts';
import type { OwnNamespace } from '../lifecycle/own-namespace.ts';
import { getStack } from '../stack.ts';
import { given } from '../../../providers/given.ts';
import type { OwnEc2 } from './own-ec2.ts';
import { useEc2Namespace } from './use-ec2-namespace.ts';

const NAMESPACE = 'aws-secrets';
/** What must be found nowhere but in the Secrets and at the cloud. */
const CANARIES = {
  // With what JSON escapes, in JavaScript and in Go.
  userData: 'canary "user-data" <7f3a> & more',
  accessKey: 'AKIACANARY5QX2ACCESS',
  secretKey: 'canary-secret-key-91b2',
  sessionToken: 'canary-session-token-c04d',
} as const;

/** Stands beside the secrets in each of the cloud's answers: where it is found, they would have been found. */
const INNOCENT = 'innocent-words-55aa';
const USER_DATA = `#cloud-config\npassword: ${CANARIES.userData}\n`;

const { kube, temporal, stateDir } = getStack();
let ec2: OwnEc2;
let own: OwnNamespace;

/** Characters of user-data in base64 that must not stand anywhere. */
const PIECE = 20;

useEc2Namespace(NAMESPACE, (opened) => ({ ec2, own } = opened), {
  prepare: createSecrets,
  // Short, so that what became of a call that was not answered is soon known.
  workerArgs: ['--log-level', 'debug', '--call-timeout', '10'],
});

async function createSecrets(): Promise<void> {
  await kube.create(SECRETS, NAMESPACE, {
    metadata: { name: 'user-data' },
    stringData: { userData: USER_DATA },
  });
  await kube.create(SECRETS, NAMESPACE, {
    metadata: { name: 'aws-credentials' },
    stringData: {
      aws_access_key_id: CANARIES.accessKey,
      aws_secret_access_key: CANARIES.secretKey,
      aws_session_token: CANARIES.sessionToken,
    },
  });
}

test('no secret gets into a history, a memo, a search attribute, a log, an event or a status, not even when the cloud echoes it', async () => {
  const encoded = Buffer.from(USER_DATA).toString('base64');
  const echoes = [
    {
      code: 'InternalError',
      message: `could not run with ${CANARIES.userData} and ${CANARIES.secretKey}, in short ${encoded.slice(0, 40)}`,
    },
    { code: 'AuthFailure', message: `the key ${CANARIES.accessKey} with token ${CANARIES.sessionToken} is not known` },
    {
      code: 'InvalidUserData.Malformed',
      message: `cannot use ${JSON.stringify(USER_DATA)}, which is {UserData} in base64`,
    },
  ];
  // The invalid one last, and for ever: the launch goes on after each of the others, and the Machine then waits with it.
  const failures = echoes.map(({ code, message }, i) => ({
    action: 'launch',
    code,
    message: `${INNOCENT}: ${message}`,
    ...given({ times: i < echoes.length - 1 ? 1 : undefined }),
  }));
  await ec2.behave('m5.echoing', { failures });
  await createMachine('echoing', 'm5.echoing');
  await createMachine('healthy', 'm5.large');
  await own.untilPhase('healthy', 'Running', { timeoutMs: 60_000 });
  await own.untilMachine('echoing', (m) => m.status?.waiting?.reason === 'InvalidConfiguration', 'was told all three', {
    timeoutMs: 180_000,
  });
  const { calls } = await ec2.ledger();
  expect(calls.map(({ code }) => code)).toEqual(expect.arrayContaining(echoes.map(({ code }) => code)));
  const whileWaiting = await everythingVisible();
  // The search works: in a place of each kind it finds what came with the secrets, or, where the cloud's words do not go,
  // the reason that they led to.
  for (const kind of ['history', 'details', 'machines', 'events', `log ${basename(own.worker.log)}`]) {
    expect([kind, hits(whileWaiting, INNOCENT)]).toEqual([kind, expect.arrayContaining([placeOf(kind)])]);
  }
  expect(hits(whileWaiting, 'InvalidConfiguration')).toContainEqual(placeOf('description'));
  expectNoSecret(whileWaiting);

  await own.patchMachine('echoing', { spec: { providerSpec: { value: { instanceType: 'm5.large' } } } });
  await own.untilPhase('echoing', 'Running', { timeoutMs: 90_000 });
  await own.removeMachine('echoing');
  expectNoSecret(await everythingVisible());
}, 300_000);

function placeOf(kind: string): unknown {
  return expect.stringMatching(new RegExp(`^${kind}( |$)`));
}

function expectNoSecret(places: ReadonlyMap<string, string>): void {
  for (const secret of Object.values(CANARIES)) expect(hits(places, secret)).toEqual([]);
  // A piece of it is no better.
  const encoded = Buffer.from(USER_DATA).toString('base64');
  for (let at = 0; at + PIECE <= encoded.length; at += 1) {
    expect(hits(places, encoded.slice(at, at + PIECE))).toEqual([]);
  }
}

async function createMachine(name: string, instanceType: string): Promise<void> {
  await own.createMachine(name, { providerSpec: { ...ec2.providerSpec, instanceType } });
}

/** Names of the places that hold the text: as it is, in JSON, in JSON in JSON, or in base64 at any of its three alignments. */
function hits(places: ReadonlyMap<string, string>, text: string): string[] {
  const escaped = JSON.stringify(text).slice(1, -1);
  const byGo = escaped.replaceAll('<', '\\u003c').replaceAll('>', '\\u003e').replaceAll('&', '\\u0026');
  const twice = [escaped, byGo].map((form) => JSON.stringify(form).slice(1, -1));
  const encoded = [0, 1, 2].map((offset) => base64Core(text, offset));
  const forms = [...new Set([text, escaped, byGo, ...twice, ...encoded])];
  return [...places].filter(([, content]) => forms.some((form) => content.includes(form))).map(([place]) => place);
}

/** What base64 makes of the text wherever it begins within a longer one: the part that no neighbour changes. */
function base64Core(text: string, offset: number): string {
  const encoded = Buffer.from(`${'\0'.repeat(offset)}${text}`)
    .toString('base64')
    .replace(/=+$/, '');
  return encoded.slice(offset === 0 ? 0 : offset + 1, -2);
}

async function everythingVisible(): Promise<Map<string, string>> {
  const places = new Map<string, string>();
  const connection = await Connection.connect({ address: temporal.address });
  const client = new Client({ connection, namespace: temporal.namespace });
  for await (const execution of client.workflow.list({ query: `TaskQueue = '${NAMESPACE}'` })) {
    const handle = client.workflow.getHandle(execution.workflowId, execution.runId);
    places.set(`history of ${execution.workflowId}`, textOf(await handle.fetchHistory()));
    places.set(`description of ${execution.workflowId}`, textOf((await handle.describe()).raw));
    // What the Temporal UI shows; asked of the worker, so not of one that has ended.
    const details = await handle.query('__temporal_workflow_metadata').catch((error: unknown) => String(error));
    places.set(`details of ${execution.workflowId}`, textOf(details));
  }
  await connection.close();
  for (const resource of [MACHINES, EVENTS]) {
    places.set(resource.plural, JSON.stringify(await kube.list(resource, { namespace: NAMESPACE })));
  }
  const logs = join(stateDir, 'logs');
  for (const name of await readdir(logs)) {
    // The audit log is the API server's, which sees the Secrets being made, and logs no more than their names.
    places.set(`log ${name}`, await readFile(join(logs, name), 'utf8'));
  }
  return places;
}

const EVENTS = { apiVersion: 'v1', kind: 'Event', plural: 'events', namespaced: true } as const;

/** All of a Temporal answer as text, payloads and failures decoded. */
function textOf(value: unknown): string {
  const seen = JSON.stringify(value, (_key, part: unknown) => {
    if (part instanceof Uint8Array) return Buffer.from(part).toString('utf8');
    if (isBufferJson(part)) return Buffer.from(part.data).toString('utf8');
    return typeof part === 'bigint' ? String(part) : part;
  });
  return seen.replaceAll('\\\\', '\\').replaceAll('\\"', '"');
}

function isBufferJson(part: unknown): part is { readonly type: 'Buffer'; readonly data: readonly number[] } {
  return typeof part === 'object' && part !== null && 'type' in part && part.type === 'Buffer' && 'data' in part;
}
