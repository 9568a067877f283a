import { readFile } from 'node:fs/promises';
import { USER_NAMES } from '../../devstack/stack/credentials.ts';

/** A write that the API server accepted, as its audit log tells it. */
export interface AuditedWrite {
  readonly user: string;
  readonly verb: string;
  /** With its subresource, e.g. `machines/status`. */
  readonly resource: string;
  readonly namespace: string;
  /** Empty where the server chose it. */
  readonly name: string;
  /** When the request came and when it was answered, in milliseconds since the epoch. */
  readonly receivedAt: number;
  readonly answeredAt: number;
}

interface AuditLine {
  readonly verb: string;
  readonly user: { readonly username: string };
  readonly objectRef?: {
    readonly resource: string;
    readonly subresource?: string;
    readonly namespace?: string;
    readonly name?: string;
  };
  readonly responseStatus?: { readonly code?: number };
  readonly requestReceivedTimestamp: string;
  readonly stageTimestamp: string;
}

/** Every accepted write from `sinceMs` on, in the order in which they were answered. */
export async function readWrites(auditLog: string, sinceMs: number): Promise<AuditedWrite[]> {
  const lines = (await readFile(auditLog, 'utf8')).split('\n');
  const writes: AuditedWrite[] = [];
  for (const line of lines) {
    // The last line may be half written.
    if (!line.endsWith('}')) continue;
    const write = parseWrite(JSON.parse(line) as AuditLine);
    if (write !== undefined && write.answeredAt >= sinceMs) writes.push(write);
  }
  return writes.sort((a, b) => a.answeredAt - b.answeredAt);
}

/** How many requests of a kind the worker sent from `sinceMs` on, whatever it was answered. */
export async function countSent(auditLog: string, sinceMs: number, verb: string, resource: string): Promise<number> {
  const lines = (await readFile(auditLog, 'utf8')).split('\n').filter((line) => line.endsWith('}'));
  return lines
    .map((line) => JSON.parse(line) as AuditLine)
    .filter(({ user }) => user.username === USER_NAMES.worker)
    .filter((line) => line.verb === verb && line.objectRef !== undefined && pathOf(line.objectRef) === resource)
    .filter(({ stageTimestamp }) => Date.parse(stageTimestamp) >= sinceMs).length;
}

/** By Millwright's own users; Events and Leases apart. */
export function isCounted({ user, resource }: AuditedWrite): boolean {
  const isOurs = user === USER_NAMES.worker || user === USER_NAMES.watcher;
  return isOurs && resource !== 'events' && resource !== 'leases';
}

/** Of the writes, those that were done by the time the machine's status said Running. */
export function untilRunning(
  writes: readonly AuditedWrite[],
  machine: { readonly namespace: string; readonly name: string; readonly node: string },
): AuditedWrite[] {
  const ofNode = ({ resource, name }: AuditedWrite) => resource === 'nodes' && name === machine.node;
  const ofMachine = ({ resource, namespace, name }: AuditedWrite) =>
    resource.startsWith('machines') && namespace === machine.namespace && name === machine.name;
  // The log has no contents: the Node is marked right before the status says Running.
  const marked = writes.find(ofNode);
  const running = writes.find(
    (w) => ofMachine(w) && w.resource === 'machines/status' && w.answeredAt >= (marked?.answeredAt ?? Infinity),
  );
  if (running === undefined) throw new Error(`no status of Running of ${machine.name} in the audit log`);
  return writes.filter((w) => (ofNode(w) || ofMachine(w)) && w.answeredAt <= running.answeredAt);
}

/** How many of each verb and resource. */
export function tally(writes: readonly AuditedWrite[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { verb, resource } of writes) {
    const key = `${verb} ${resource}`;
    counts[key] = (counts[key] ?? 0) + 1;
  }
  return counts;
}

function parseWrite(line: AuditLine): AuditedWrite | undefined {
  const { verb, user, objectRef, responseStatus, requestReceivedTimestamp, stageTimestamp } = line;
  if (objectRef === undefined || (responseStatus?.code ?? 0) >= 400) return undefined;
  const { namespace = '', name = '' } = objectRef;
  return {
    user: user.username,
    verb,
    resource: pathOf(objectRef),
    namespace,
    name,
    receivedAt: Date.parse(requestReceivedTimestamp),
    answeredAt: Date.parse(stageTimestamp),
  };
}

function pathOf({ resource, subresource }: NonNullable<AuditLine['objectRef']>): string {
  return subresource === undefined ? resource : `${resource}/${subresource}`;
}
