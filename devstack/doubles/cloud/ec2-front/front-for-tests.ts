/** For tests: the front before a moto in memory, which counts what it is asked. */

import { systemClock } from '../../../../providers/clock.ts';
import { startEc2Front } from './server.ts';
import type { Ec2Behaviour } from './behaviour.ts';
import type { Ec2Ledger } from './ledger.ts';
import { MotoInMemory } from './moto-in-memory.ts';
import { parseXml, textOf, type XmlElement } from './xml.ts';
import { given } from '../../../../providers/given.ts';

/** The front before moto, with a clock that can be turned forward. */
export interface TestFront {
  readonly endpoint: string;
  /** What moto was asked. */
  readonly asked: readonly URLSearchParams[];
  /** Sends a call; answers status and root of the XML. */
  call(action: string, params?: Readonly<Record<string, string>>): Promise<{ status: number; root: XmlElement }>;
  /** A launch that is valid as it stands; answers the instance's id, or the code of the error. */
  launch(changes?: Readonly<Record<string, string>>): Promise<string>;
  behave(instanceType: string, behaviour: Ec2Behaviour): Promise<number>;
  send(method: string, path: string, body?: unknown): Promise<Response>;
  ledger(machine?: string): Promise<Ec2Ledger>;
  pass(ms: number): void;
  close(): Promise<void>;
}

export const A_LAUNCH = {
  ClientToken: 'token-1',
  ImageId: 'ami-1',
  InstanceType: 'm5.large',
  MinCount: '1',
  MaxCount: '1',
  'Placement.AvailabilityZone': 'us-east-1a',
  'TagSpecification.1.ResourceType': 'instance',
  'TagSpecification.1.Tag.1.Key': 'millwright/machine',
  'TagSpecification.1.Tag.1.Value': 'default/web-1',
  'TagSpecification.1.Tag.2.Key': 'millwright/machine-uid',
  'TagSpecification.1.Tag.2.Value': 'uid-1',
} as const;

/** @param signedFor the service of the signature's scope */
export function signature(signedFor = 'ec2', accessKeyId = 'AKIATEST'): string {
  return `AWS4-HMAC-SHA256 Credential=${accessKeyId}/20260101/us-east-1/${signedFor}/aws4_request, SignedHeaders=host`;
}

export async function startTestFront(): Promise<TestFront> {
  let passed = 0;
  const clock = { ...systemClock, timeOfDay: () => Date.now() + passed };
  const moto = new MotoInMemory(clock, (n) => `i-${n}`);
  const front = await startEc2Front({ moto, clock });
  const send: TestFront['send'] = (method, path, body) =>
    fetch(new URL(path, front.endpoint), {
      method,
      ...given({ body: body === undefined ? undefined : JSON.stringify(body) }),
    });
  const call: TestFront['call'] = async (action, params = {}) => {
    const response = await fetch(front.endpoint, {
      method: 'POST',
      headers: { authorization: signature() },
      body: new URLSearchParams({ Action: action, Version: '2016-11-15', ...params }),
    });
    return { status: response.status, root: parseXml(await response.text()) };
  };
  return {
    endpoint: front.endpoint,
    asked: moto.asked,
    call,
    launch: async (changes = {}) => {
      const { status, root } = await call('RunInstances', { ...A_LAUNCH, ...changes });
      return status === 200
        ? textOf(root, 'instancesSet', 'item', 'instanceId')
        : textOf(root, 'Errors', 'Error', 'Code');
    },
    behave: async (instanceType, behaviour) => (await send('PUT', `/behaviours/${instanceType}`, behaviour)).status,
    send,
    ledger: async (machine) => {
      const query = machine === undefined ? '' : `?machine=${encodeURIComponent(machine)}`;
      return (await (await send('GET', `/ledger${query}`)).json()) as Ec2Ledger;
    },
    pass: (ms) => {
      passed += ms;
    },
    close: () => front.close(),
  };
}
