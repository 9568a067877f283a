import { Counter, Gauge, type Registry } from 'prom-client';
import type { GuardOptions } from '../providers/guarded-provider.ts';

/** What is shown of calls that are not sent because a cloud hangs. */
export function createGuardMetrics(registry: Registry): Required<Pick<GuardOptions, 'onBreaker' | 'onNotSent'>> {
  const registers = [registry];
  const notAnswering = new Gauge({
    name: 'millwright_cloud_not_answering',
    help: '1 while a cloud is not asked, but for a try now and then, because it left the last calls with these credentials unanswered.',
    labelNames: ['provider', 'namespace', 'secret', 'region', 'calls'],
    registers,
  });
  const notSent = new Counter({
    name: 'millwright_cloud_calls_not_sent_total',
    help: 'Calls of the provider that were not sent, because the cloud does not answer or leaves too many calls waiting.',
    labelNames: ['provider', 'operation'],
    registers,
  });
  return {
    onBreaker: ({ provider, credentials, group }, isOpen) => {
      const { namespace, secretName = '', region = '' } = credentials;
      const labels = { provider, namespace, secret: secretName, region, calls: group };
      // A series for what works would be one for each credential there ever was.
      if (isOpen) notAnswering.set(labels, 1);
      else notAnswering.remove(labels);
    },
    onNotSent: (provider, operation) => notSent.inc({ provider, operation }),
  };
}
