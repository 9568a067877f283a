import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { LedgerCall, LedgerInstance } from '../../../devstack/doubles/cloud/ledger.ts';
import type { UnexpectedExit } from '../../../devstack/stack/stack-options.ts';
import { startStack, type Stack } from '../../../devstack/stack/stack.ts';
import type { KubeClient } from '../../../k8s/client.ts';
import { createKubeClient } from '../../../k8s/http-client.ts';
import { loadKubeConfig } from '../../../k8s/kube-config.ts';

/** A stack of the outage tests' own, with all that `npm start` has: its servers are killed. */
export interface OutageStack {
  readonly stack: Stack;
  /** As the administrator. */
  readonly kube: KubeClient;
  /** Processes that ended without having been told to. */
  readonly unexpectedExits: readonly UnexpectedExit[];
  readLedger(): Promise<Ledger>;
  /** Sets how the cloud treats instances of this type. */
  setBehaviour(instanceType: string, behaviour: object): Promise<void>;
  /** For this long the cloud takes connections and says nothing. */
  silenceCloud(forMs: number): Promise<void>;
  end(): Promise<void>;
}

export interface Ledger {
  readonly instances: readonly LedgerInstance[];
  readonly calls: readonly LedgerCall[];
}

export async function startOutageStack(): Promise<OutageStack> {
  const stateDir = await mkdtemp(join(tmpdir(), 'millwright-outages-'));
  const unexpectedExits: UnexpectedExit[] = [];
  const stack = await startStack({
    stateDir,
    fresh: true,
    withWatcher: true,
    withWorker: true,
    workerArgs: ['--ready-look', '1'],
    onUnexpectedExit: (exit) => unexpectedExits.push(exit),
  });
  const put = async (path: string, body: object): Promise<void> => {
    const answer = await fetch(`${stack.cloud.endpoint}${path}`, { method: 'PUT', body: JSON.stringify(body) });
    if (!answer.ok) throw new Error(`PUT ${path}: ${answer.status} ${await answer.text()}`);
  };
  return {
    stack,
    kube: createKubeClient(loadKubeConfig({ kubeconfig: stack.kubeconfig })),
    unexpectedExits,
    async readLedger() {
      const answer = await fetch(`${stack.cloud.endpoint}/ledger`);
      return (await answer.json()) as Ledger;
    },
    setBehaviour: (instanceType, behaviour) => put(`/behaviours/${instanceType}`, behaviour),
    silenceCloud: (forMs) => put('/outage', { mode: 'hang', forMs }),
    async end() {
      await stack.stop();
      if (process.env['MILLWRIGHT_KEEP_TEST_STATE'] === undefined) await rm(stateDir, { recursive: true, force: true });
    },
  };
}
