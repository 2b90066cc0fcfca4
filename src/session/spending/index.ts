// What was used and what it costs.
export {
  createPriceBook,
  createUsageLedger,
  type LedgerState,
  type PriceBook,
  type Prices,
  type UsageLedger,
} from './usage-ledger.js';
