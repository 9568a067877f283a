import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { A_LAUNCH, signature, startTestFront, type TestFront } from './front-for-tests.ts';
import { child, parseXml, textOf } from './xml.ts';

let front: TestFront;

beforeEach(async () => {
  front = await startTestFront();
});
afterEach(() => front.close());

async function describeBy(filters: Readonly<Record<string, string>>): Promise<string[]> {
  const params = Object.entries(filters).flatMap(([name, value], i) => [
    [`Filter.${i + 1}.Name`, name],
    [`Filter.${i + 1}.Value.1`, value],
  ]);
  const { root } = await front.call('DescribeInstances', Object.fromEntries(params) as Record<string, string>);
  return (child(root, 'reservationSet')?.children ?? []).map((reservation) => {
    const item = child(reservation, 'instancesSet', 'item');
    return `${textOf(item, 'instanceId')} ${textOf(item, 'instanceState', 'name')}`;
  });
}

const codeOf = async (action: string, params: Record<string, string> = {}) =>
  textOf((await front.call(action, params)).root, 'Errors', 'Error', 'Code');

describe('describes', () => {
  it('show the states of the front, and filter by them', async () => {
    await front.launch();
    expect(await describeBy({ 'instance-state-name': 'pending' })).toEqual(['i-1 pending']);
    front.pass(1_000);
    expect(await describeBy({ 'instance-state-name': 'pending' })).toEqual([]);
    expect(await describeBy({})).toEqual(['i-1 running']);
    await front.call('TerminateInstances', { 'InstanceId.1': 'i-1' });
    expect(await describeBy({})).toEqual(['i-1 shutting-down']);
    front.pass(500);
    expect(await describeBy({})).toEqual(['i-1 terminated']);
    front.pass(3_600_000);
    expect(await describeBy({})).toEqual([]);
  });

  it('pass the filters on that moto has, and no other', async () => {
    await front.launch();
    await front.launch({ ClientToken: 'token-2' });
    expect(await describeBy({ 'client-token': 'token-2', 'vpc-id': 'vpc-1' })).toEqual(['i-2 pending']);
    const filters = [...(front.asked.at(-1) ?? [])]
      .filter(([name]) => name.startsWith('Filter'))
      .map(([, value]) => value);
    expect(filters).toEqual(['vpc-id', 'vpc-1', 'instance-id', 'i-2']);
    const params = { 'Filter.1.Name': 'reservation-id', 'Filter.1.Value.1': 'r' };
    expect(await codeOf('DescribeInstances', params)).toBe('InvalidParameterValue');
  });

  it('lag behind a launch, by id as by filter', async () => {
    await front.behave('*', { visibleAfterMs: 1_000 });
    await front.launch();
    expect(await describeBy({})).toEqual([]);
    expect(await codeOf('DescribeInstances', { 'InstanceId.1': 'i-1' })).toBe('InvalidInstanceID.NotFound');
    expect(await codeOf('TerminateInstances', { 'InstanceId.1': 'i-1' })).toBe('InvalidInstanceID.NotFound');
    front.pass(1_000);
    expect(await describeBy({ 'client-token': 'token-?' })).toEqual(['i-1 running']);
  });

  it('do not show one that vanished, until it is back', async () => {
    await front.launch();
    await front.send('POST', '/instances/i-1/vanish');
    expect(await describeBy({})).toEqual([]);
    expect((await front.ledger()).instances).toMatchObject([{ state: 'vanished' }]);
    await front.send('POST', '/instances/i-1/reappear');
    expect(await describeBy({})).toHaveLength(1);
  });
});

describe('errors', () => {
  it('are written as EC2 writes them', async () => {
    await front.behave('*', {
      failures: [{ action: 'DescribeImages', code: 'UnauthorizedOperation', message: 'No <no>.' }],
    });
    const { status, root } = await front.call('DescribeImages');
    expect(status).toBe(403);
    expect(root.name).toBe('Response');
    expect(textOf(root, 'Errors', 'Error', 'Message')).toBe('No <no>.');
    expect(textOf(root, 'RequestID')).toMatch(/^[\da-f-]{36}$/);
  });

  it('are written as the load balancers write them, which have codes of their own', async () => {
    await front.behave('*', { throttling: { next: 1, actions: ['register'] } });
    const answer = await fetch(front.endpoint, {
      method: 'POST',
      headers: { authorization: signature('elasticloadbalancing') },
      body: new URLSearchParams({ Action: 'RegisterTargets', Version: '2015-12-01' }),
    });
    const root = parseXml(await answer.text());
    expect([answer.status, root.name, textOf(root, 'Error', 'Code')]).toEqual([400, 'ErrorResponse', 'Throttling']);
  });

  it('echo parts of the request where they are told to', async () => {
    const message = 'Cannot decode {UserData} or {Nothing}';
    await front.behave('m5.large', { failures: [{ action: 'launch', code: 'InvalidParameterValue', message }] });
    const { root } = await front.call('RunInstances', { ...A_LAUNCH, UserData: 'c2VjcmV0' });
    expect(textOf(root, 'Errors', 'Error', 'Message')).toBe('Cannot decode c2VjcmV0 or {Nothing}');
    expect(JSON.stringify(await front.ledger())).not.toContain('c2VjcmV0');
  });

  it('say that moto has no answer where it has none', async () => {
    expect(await codeOf('DescribeHosts')).toBe('InternalError');
  });

  it('meet keys that are not accepted', async () => {
    await front.send('PUT', '/credentials', { acceptedTokens: ['AKIAOTHER'] });
    expect(await codeOf('DescribeImages')).toBe('AuthFailure');
    await front.send('PUT', '/credentials', { acceptedTokens: ['AKIATEST'] });
    expect((await front.call('DescribeImages')).status).toBe(200);
  });
});

describe('a dry run', () => {
  const dryRun = (changes: object = {}) => front.launch({ ...A_LAUNCH, DryRun: 'true', ...changes });

  it('says that it would have worked, makes nothing, and binds its token to nothing', async () => {
    expect(await dryRun()).toBe('DryRunOperation');
    expect(await dryRun({ ImageId: 'ami-2' })).toBe('DryRunOperation');
    const { instances, calls } = await front.ledger();
    expect(instances).toEqual([]);
    expect(calls).toMatchObject([{ action: 'dryRun', machine: 'default/web-1', token: null }, { action: 'dryRun' }]);
    expect(await front.launch({ ImageId: 'ami-2' })).toBe('i-1');
  });

  it.each([
    ['an image', { ImageId: 'ami-nope' }, 'InvalidAMIID.NotFound'],
    ['a type', { InstanceType: 'nope.large' }, 'InvalidInstanceType'],
  ])('names %s that does not exist', async (_what, changes, code) => {
    expect(await dryRun(changes)).toBe(code);
  });

  it('fails where it is told to, and launches do not', async () => {
    await front.behave('*', { failures: [{ action: 'dryRun', code: 'UnauthorizedOperation' }] });
    expect(await dryRun()).toBe('UnauthorizedOperation');
    expect(await front.launch()).toBe('i-1');
  });
});

describe('a launch whose answer is lost', () => {
  it('has made an instance, which the ledger knows, and the repeat finds it', async () => {
    await front.behave('*', { failures: [{ action: 'launch', when: 'after', answer: 'reset', times: 1 }] });
    await expect(front.launch()).rejects.toThrow();
    expect(await front.launch()).toBe('i-1');
    expect(await front.ledger('uid-1')).toMatchObject({
      instances: [{ id: 'i-1', machine: 'default/web-1', machineUid: 'uid-1', token: 'token-1', zone: 'us-east-1a' }],
      calls: [
        { action: 'launch', machine: 'default/web-1', token: 'token-1', instance: 'i-1', code: 'ConnectionReset' },
        { action: 'launch', instance: 'i-1', ok: true },
      ],
      counts: { RunInstances: 2 },
    });
    expect((await front.ledger('default/other')).instances).toEqual([]);
  });
});

describe('disturbances', () => {
  it('carry a call out twice, from the one that is named on', async () => {
    const disturbances = [{ action: 'RunInstances', kind: 'repeat', skip: 1, times: 1 }];
    await front.send('PUT', '/disturbances', { disturbances });
    for (const ClientToken of ['a', 'b', 'c']) await front.launch({ ClientToken });
    const { instances, counts } = await front.ledger();
    expect([instances.length, counts['RunInstances']]).toEqual([3, 4]);
  });

  it('delay an answer after the effect', async () => {
    await front.send('PUT', '/disturbances', {
      disturbances: [{ action: '*', kind: 'delay-answer', ms: 150, times: 1 }],
    });
    const launching = front.launch();
    await new Promise((resolve) => setTimeout(resolve, 75));
    expect((await front.ledger()).instances).toHaveLength(1);
    await launching;
  });

  it('are checked', async () => {
    const answer = await front.send('PUT', '/disturbances', { disturbances: [{ action: '*', kind: 'explode' }] });
    expect(answer.status).toBe(400);
  });
});

describe('by hand', () => {
  it('instances are terminated, stopped and kept from joining, and hollow nodes see it', async () => {
    await front.launch();
    front.pass(1_000);
    const seen = async () => {
      const { instances } = (await (await front.send('GET', '/instances')).json()) as { instances: readonly object[] };
      return instances;
    };
    expect(await seen()).toMatchObject([{ providerID: 'aws:///us-east-1a/i-1', state: 'running', joins: true }]);
    await front.send('POST', '/instances/i-1/joins', { joins: false });
    await front.send('POST', '/instances/i-1/stop');
    front.pass(500);
    expect(await seen()).toMatchObject([{ state: 'stopped', joins: false }]);
    await front.send('POST', '/instances/i-1/terminate');
    front.pass(500);
    expect(await seen()).toEqual([]);
    expect((await front.ledger()).calls.map(({ action }) => action)).toEqual(['launch', 'joins', 'stop', 'terminate']);
    expect(front.asked.slice(1).map((params) => params.get('Action'))).toEqual(['StopInstances', 'TerminateInstances']);
  });

  it('instances are rebooted, as by a call, and hollow nodes see how often', async () => {
    await front.launch();
    front.pass(1_000);
    await front.send('POST', '/instances/i-1/reboot');
    const { instances } = (await (await front.send('GET', '/instances')).json()) as { instances: readonly object[] };
    expect(instances).toMatchObject([{ state: 'running', reboots: 1 }]);
    expect(front.asked.at(-1)?.get('Action')).toBe('RebootInstances');
    await front.send('POST', '/instances/i-1/stop');
    front.pass(500);
    expect((await front.send('POST', '/instances/i-1/reboot')).status).toBe(400);
  });

  it('an operation that there is not is refused', async () => {
    expect((await front.send('POST', '/instances/i-1/explode')).status).toBe(404);
    expect((await front.send('POST', '/instances/i-1/stop')).status).toBe(400);
  });
});
