// What was used and what it costs.
export { createPriceBook, type PriceBook, type Prices } from './price-book.js';
export { createUsageLedger, type LedgerState, type UsageLedger } from './usage-ledger.js';
