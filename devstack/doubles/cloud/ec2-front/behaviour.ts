/**
 * How EC2 behaves for an instance type: what `PUT /behaviours/{instanceType}` takes. The fields of both clouds;
 * actions here are any: the ledger's words (`launch`, `describe`, `register`, …) or AWS's (`RunInstances`,
 * `DescribeImages`, …). Calls that concern no instance type follow `*`.
 */

import { behaviourParser, type Behaviour } from '../behaviour.ts';
import { wordOf } from './actions.ts';
import { given } from '../../../../providers/given.ts';

/**
 * A failure's `message` may hold names of the call's parameters in braces, whose values take their places: an error that
 * echoes the request, as `Invalid BASE64 encoding of user data: {UserData}`.
 */
export type Ec2Behaviour = Behaviour;

/** Where it differs from the defaults: moto takes its time as it is. */
export const EC2_DEFAULTS: Ec2Behaviour = { launchLatencyMs: 0 };

const parse = behaviourParser();

/** Throws where the body is no behaviour. Actions come out in the ledger's words. */
export function parseEc2Behaviour(body: unknown): Ec2Behaviour {
  const { throttling: throttled, failures: failing, ...rest } = parse(body);
  return {
    ...rest,
    ...given({
      throttling: throttled && withWords(throttled),
      failures: failing?.map((each) => ({ ...each, action: wordOf(each.action) })),
    }),
  };
}

function withWords<T extends { readonly actions?: readonly string[] }>(throttled: T): T {
  return throttled.actions === undefined ? throttled : { ...throttled, actions: throttled.actions.map(wordOf) };
}
