/** DescribeInstances, all pages of it. */

import { DescribeInstancesCommand } from '@aws-sdk/client-ec2';
import type { EC2Client, Filter } from '@aws-sdk/client-ec2';
import { ProviderError } from '../provider-error.ts';
import type { Instance } from '../provider.ts';
import { readInstance } from './instance-answer.ts';
import { given } from '../given.ts';

export interface DescribeRequest {
  /** For messages. */
  readonly attempted: string;
  readonly region: string;
  /** All must match. */
  readonly filters: readonly Filter[];
  /** Most instances in one page, from 5 to 1000. @default what EC2 likes */
  readonly pageSize?: number;
}

/**
 * Instances in any state. Never by their ids alone: EC2 refuses a list of which it does not know one.
 * @throws ProviderError Unknown where an answer is no list: nothing found counts as proof, and that is not it
 */
export async function describeInstances(
  ec2: EC2Client,
  { attempted, region, filters, pageSize }: DescribeRequest,
  abortSignal: AbortSignal,
): Promise<Instance[]> {
  const instances: Instance[] = [];
  let token: string | undefined;
  do {
    const { Reservations, NextToken } = await ec2.send(
      new DescribeInstancesCommand({
        Filters: [...filters],
        ...given({ MaxResults: pageSize, NextToken: token }),
      }),
      { abortSignal },
    );
    if (Reservations === undefined) {
      throw new ProviderError('Unknown', `${attempted}: the answer is no list of instances`);
    }
    for (const { Instances = [], OwnerId } of Reservations) {
      instances.push(...Instances.map((instance) => readInstance(attempted, region, instance, OwnerId)));
    }
    if (NextToken !== undefined && NextToken !== '' && NextToken === token) {
      throw new ProviderError('Unknown', `${attempted}: the answer's next page is the page itself`);
    }
    token = NextToken === '' ? undefined : NextToken;
  } while (token !== undefined);
  return instances;
}
