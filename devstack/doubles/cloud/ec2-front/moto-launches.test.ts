import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { startTestFront, type TestFront } from './front-for-tests.ts';

let front: TestFront;

beforeEach(async () => {
  front = await startTestFront();
});
afterEach(() => front.close());

const launchesOf = () => front.asked.filter((params) => params.get('Action') === 'RunInstances').length;

describe('a client token', () => {
  it('gives the same instance to calls that come while the first is at work', async () => {
    await front.behave('*', { launchLatencyMs: 50 });
    const ids = await Promise.all(Array.from({ length: 5 }, () => front.launch()));
    expect([new Set(ids).size, launchesOf()]).toEqual([1, 1]);
  });

  it('counts within its zone, which may be that of the subnet', async () => {
    const first = await front.launch();
    expect(await front.launch({ 'Placement.AvailabilityZone': 'us-east-1b' })).not.toBe(first);
    const bySubnet = { ClientToken: 't2', SubnetId: 'subnet-1', 'Placement.AvailabilityZone': '' };
    const inSubnet = await front.launch(bySubnet);
    expect(await front.launch(bySubnet)).toBe(inSubnet);
    // The zone is the same; it is another call all the same.
    expect(await front.launch({ ClientToken: 't2', 'Placement.AvailabilityZone': 'us-east-1c' })).toBe(
      'IdempotentParameterMismatch',
    );
  });

  it('refuses changed parameters, tags and user data included', async () => {
    await front.launch();
    for (const change of [
      { InstanceType: 'm5.xlarge' },
      { UserData: 'YQ==' },
      { 'TagSpecification.1.Tag.1.Value': 'x' },
    ]) {
      expect(await front.launch(change)).toBe('IdempotentParameterMismatch');
    }
  });

  it('refuses changed parameters after a call that moto refused, and passes the same on again', async () => {
    expect(await front.launch({ ImageId: 'ami-nope' })).toBe('InvalidAMIID.NotFound');
    expect(await front.launch()).toBe('IdempotentParameterMismatch');
    expect(await front.launch({ ImageId: 'ami-nope' })).toBe('InvalidAMIID.NotFound');
  });

  it.each([
    ['InsufficientInstanceCapacity', 'IdempotentParameterMismatch'],
    ['RequestLimitExceeded', 'i-1'],
  ])('after %s answers another launch with %s', async (code, then) => {
    await front.behave('m5.large', { failures: [{ action: 'RunInstances', code, times: 1 }] });
    expect(await front.launch()).toBe(code);
    expect(await front.launch({ ImageId: 'ami-2' })).toBe(then);
  });

  it('answers IdempotentInstanceTerminated once its instance is terminated, and not before', async () => {
    const id = await front.launch();
    await front.call('TerminateInstances', { 'InstanceId.1': id });
    expect(await front.launch()).toBe(id);
    front.pass(500);
    expect(await front.launch()).toBe('IdempotentInstanceTerminated');
    front.pass(86_400_000);
    expect(await front.launch()).toBe('IdempotentInstanceTerminated');
  });

  it('is not needed: each call without one makes an instance', async () => {
    const [first, second] = [await front.launch({ ClientToken: '' }), await front.launch({ ClientToken: '' })];
    expect(first).not.toBe(second);
  });
});
