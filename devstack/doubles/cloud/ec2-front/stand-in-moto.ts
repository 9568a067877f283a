/** Plays moto in tests: launches and shows instances, as XML, in memory, and counts what it is asked. */

import { systemClock } from '../../../../providers/clock.ts';
import { listenOnLoopback } from '../../loopback-server.ts';
import { readBody } from '../wire/request-body.ts';
import { startEc2Front } from './server.ts';
import type { Ec2Behaviour } from './behaviour.ts';
import type { Ec2Ledger } from './ledger.ts';
import { parseXml, textOf, type XmlElement } from './xml.ts';

const NAMESPACE = 'xmlns="http://ec2.amazonaws.com/doc/2016-11-15"';

/** The front before the stand-in, with a clock that can be turned forward. */
export interface TestFront {
  readonly endpoint: string;
  /** What the stand-in was asked. */
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
  const moto = await startStandIn();
  let passed = 0;
  const front = await startEc2Front({
    motoUrl: moto.endpoint,
    clock: { ...systemClock, timeOfDay: () => Date.now() + passed },
  });
  const send: TestFront['send'] = (method, path, body) =>
    fetch(new URL(path, front.endpoint), { method, ...(body === undefined ? {} : { body: JSON.stringify(body) }) });
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
    close: async () => {
      await front.close();
      await moto.close();
    },
  };
}

async function startStandIn() {
  const asked: URLSearchParams[] = [];
  const items = new Map<string, string>();
  const answer = (params: URLSearchParams): { status: number; text: string } => {
    const action = params.get('Action') ?? '';
    const ok = (content: string) => ({
      status: 200,
      text: `<?xml version="1.0"?>\n<${action}Response ${NAMESPACE}>${content}</${action}Response>`,
    });
    switch (action) {
      case 'RunInstances': {
        if (params.get('ImageId') === 'ami-nope')
          return failure('InvalidAMIID.NotFound', "The image id '[ami-nope]' …");
        const id = `i-${items.size + 1}`;
        items.set(id, reservationOf(id, params));
        return ok(items.get(id) ?? '');
      }
      case 'DescribeInstances':
        return ok(
          `<reservationSet>${[...items.values()].map((each) => `<item>${each}</item>`).join('')}</reservationSet>`,
        );
      case 'DescribeSubnets':
        return ok('<subnetSet><item><availabilityZone>us-east-1c</availabilityZone></item></subnetSet>');
      case 'DescribeHosts':
        return { status: 500, text: '<!doctype html>\n<html lang=en><h1>Internal Server Error</h1>' };
      default:
        return ok('<return>true</return>');
    }
  };
  const server = await listenOnLoopback(async (request, response) => {
    const params = new URLSearchParams(await readBody(request));
    asked.push(params);
    const { status, text } = answer(params);
    response.writeHead(status, { 'content-type': 'text/xml' }).end(text);
  });
  return { ...server, asked };
}

function reservationOf(id: string, params: URLSearchParams): string {
  const zone = params.get('Placement.AvailabilityZone') ?? 'us-east-1c';
  const fields = [
    ['instanceId', id],
    ['clientToken', params.get('ClientToken') ?? ''],
    ['instanceType', params.get('InstanceType') ?? ''],
    ['privateIpAddress', `10.0.0.${id.slice(2)}`],
  ].map(([name, text]) => `<${name}>${text}</${name}>`);
  const tags = [1, 2].map((n) => {
    const [key, value] = ['Key', 'Value'].map((part) => params.get(`TagSpecification.1.Tag.${n}.${part}`) ?? '');
    return `<item><key>${key}</key><value>${value}</value></item>`;
  });
  return (
    `<reservationId>r-${id}</reservationId><instancesSet><item>${fields.join('')}` +
    `<tagSet>${tags.join('')}</tagSet><placement><availabilityZone>${zone}</availabilityZone></placement>` +
    '<instanceState><code>16</code><name>running</name></instanceState></item></instancesSet>'
  );
}

function failure(code: string, message: string): { status: number; text: string } {
  const error = `<Error><Code>${code}</Code><Message>${message}</Message></Error>`;
  return { status: 400, text: `<Response ${NAMESPACE}><Errors>${error}</Errors><RequestID>r</RequestID></Response>` };
}
