import { randomUUID } from 'node:crypto';
import type { SimulatedBehaviour } from '../../../devstack/doubles/cloud/json-front/behaviour.ts';
import type { Ledger, LedgerInstance } from '../../../devstack/doubles/cloud/ledger.ts';
import { getStack } from '../stack.ts';
import { given } from '../../../providers/given.ts';

/** What happened in the cloud, of one Machine or of all. */
export async function readLedger(machineUid?: string): Promise<Ledger> {
  return ask<Ledger>('GET', `/ledger${machineUid === undefined ? '' : `?machine=${machineUid}`}`);
}

export function isLive({ state }: LedgerInstance): boolean {
  return state === 'pending' || state === 'running' || state === 'stopping' || state === 'stopped';
}

/** Sets how instances of a type behave from now on; `{}` takes it back. */
export async function behave(instanceType: string, behaviour: SimulatedBehaviour): Promise<void> {
  await ask('PUT', `/behaviours/${instanceType}`, behaviour);
}

/** Bearer tokens that the cloud lets in from now on; `null`: everybody. */
export async function setAcceptedTokens(acceptedTokens: readonly string[] | null): Promise<void> {
  await ask('PUT', '/credentials', { acceptedTokens });
}

/** How the cloud does not work from now on, for everybody. */
export async function setOutage(mode: 'unavailable' | 'reset' | 'hang' | 'none'): Promise<void> {
  await ask('PUT', '/outage', { mode });
}

/** As somebody with a console would: nobody tells the Machine. */
export async function terminateByHand(id: string, token?: string): Promise<void> {
  await ask('POST', `/instances/${id}/terminate`, undefined, token);
}

/** As somebody with a console would: nobody tells the Machine. */
export async function stopByHand(id: string): Promise<void> {
  await ask('POST', `/instances/${id}/stop`);
}

/** Its kubelet says nothing any more, and it runs on. */
export async function silenceByHand(id: string): Promise<void> {
  await ask('POST', `/instances/${id}/joins`, { joins: false });
}

/** An instance that no Machine launched; answers its providerID and id. */
export async function launchByHand(
  instanceType: string,
  more: { readonly clientToken?: string; readonly tags?: Readonly<Record<string, string>> } = {},
): Promise<{ readonly id: string; readonly providerID: string }> {
  const body = { clientToken: randomUUID(), zone: 'zone-b', instanceType, image: 'image-default', ...more };
  return (await ask<{ instance: { id: string; providerID: string } }>('POST', '/instances', body)).instance;
}

/** The states of all instances, by id. */
export async function instanceState(id: string): Promise<string | undefined> {
  return (await readLedger()).instances.find((i) => i.id === id)?.state;
}

async function ask<T>(method: string, path: string, body?: object, token?: string): Promise<T> {
  const response = await fetch(`${getStack().cloud.endpoint}${path}`, {
    method,
    headers: {
      'content-type': 'application/json',
      ...given({ authorization: token === undefined ? undefined : `Bearer ${token}` }),
    },
    ...given({ body: body && JSON.stringify(body) }),
  });
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
  return (await response.json()) as T;
}
