/**
 * What calls are called in the ledger, in behaviours and in the numbering of requests: the words of the simulated cloud
 * where it has one, else the AWS action itself (`DescribeImages`).
 */

const WORDS: Readonly<Record<string, string>> = {
  RunInstances: 'launch',
  DescribeInstances: 'describe',
  TerminateInstances: 'terminate',
  RebootInstances: 'reboot',
  StopInstances: 'stop',
  StartInstances: 'start',
  RegisterTargets: 'register',
  RegisterInstancesWithLoadBalancer: 'register',
  DeregisterTargets: 'deregister',
  DeregisterInstancesFromLoadBalancer: 'deregister',
};

export function wordOf(action: string): string {
  return WORDS[action] ?? action;
}
