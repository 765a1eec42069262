//! `ciphermeter serve`: listens, and answers until it is interrupted.

use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use axum::Router;
use axum::http::StatusCode;
use axum::middleware::{from_fn, from_fn_with_state};
use axum_server::Handle;
use ciphermeter_terminal::output;
use hyper_util::rt::{TokioExecutor, TokioTimer};
use hyper_util::server::conn::auto::Builder;
use tower_governor::GovernorLayer;
use tower_governor::governor::GovernorConfigBuilder;
use tower_http::compression::CompressionLayer;
use tower_http::decompression::RequestDecompressionLayer;
use tower_http::timeout::TimeoutLayer;

use crate::args::ServeOptions;
use crate::database::Database;
use crate::fleet::Judging;
use crate::live::{Live, look_for_watchers};
use crate::rate::Client;
use crate::site::Site;
use crate::state::Server;
use crate::{api, fleet, guard, local, movements, operate, pages, refusal, tls, trouble};

/// From the first byte of a request to the last of its body and the beginning of the answer.
const PATIENCE: Duration = Duration::from_secs(60);
/// For the first request of a connection to begin, and for TLS to be agreed.
const PATIENCE_WITH_NEW: Duration = Duration::from_secs(10);
/// For requests that are under way when the server ends.
const PATIENCE_AT_END: Duration = Duration::from_secs(10);
/// One address may send a request each so many milliseconds, and so many at once before that counts.
const EACH_MS: u64 = 20;
const BURST: u32 = 500;
const DAY: Duration = Duration::from_secs(24 * 60 * 60);

/// Listens as the options say.
pub async fn listen(options: ServeOptions) -> Result<()> {
    let is_local = options.listen.ip().is_loopback();
    if options.behind_proxy && !is_local {
        bail!("--behind-proxy listens on loopback alone: leave out --listen, or name a port of 127.0.0.1 with it");
    }
    let database = operate::open(&options.database).await?;
    let needs_token = !is_local || options.behind_proxy;
    if needs_token && database.tokens().await?.is_empty() {
        bail!(
            "other machines reach this address, and there is no token yet: make one with \
             `ciphermeter serve token add NAME --scope push`, and another with --scope read"
        );
    }
    let is_secure = !is_local || options.behind_proxy || options.certificate.is_some();
    let judging = Judging {
        weights: options.weights.as_deref().map(fleet::weights).transpose()?,
        stale_after: options.stale_after,
    };
    let mut server = Server::new(database.clone(), options.host.clone(), needs_token, is_secure);
    server.judging = Arc::new(judging);
    server.site = Site::find(options.page.as_deref(), needs_token)?.map(Arc::new);
    server.live = options.database.url().is_none().then(Live::new);
    // The port is taken before anything is said, so that what is printed is so.
    let listener = TcpListener::bind(options.listen)
        .with_context(|| format!("cannot listen on {}; name another address or port with --listen", options.listen))?;
    listener.set_nonblocking(true)?;
    close_those_that_do_not_read(&listener);
    let address = listener.local_addr()?;
    let tasks = tasks(&options, &server);
    let served = serve(&options, listener, address, &server).await;
    tasks.into_iter().for_each(|task| task.abort());
    served
}

/// Ends a connection whose other end takes nothing of an answer: connections inherit this from what they come through.
fn close_those_that_do_not_read(listener: &TcpListener) {
    #[cfg(target_os = "linux")]
    if let Ok(ms) = u32::try_from(PATIENCE.as_millis()) {
        // Without it, the kernel itself gives up, much later.
        let _ = rustix::net::sockopt::set_tcp_user_timeout(listener, ms);
    }
    #[cfg(not(target_os = "linux"))]
    let _ = listener;
}

/// What happens beside requests.
fn tasks(options: &ServeOptions, server: &Server) -> Vec<tokio::task::JoinHandle<()>> {
    let mut tasks = vec![tokio::spawn(judge_again(server.clone())), tokio::spawn(movements::look(server.clone()))];
    if let Some(days) = options.retain {
        tasks.push(tokio::spawn(retain(server.database.clone(), days)));
    }
    if options.database.url().is_none() {
        tasks.push(tokio::spawn(take_local(server.clone(), options.retain)));
    }
    if let Some(live) = &server.live {
        tasks.push(tokio::spawn(look_for_watchers(server.clone(), live.clone())));
    }
    tasks
}

/// What an earlier version said of stored runs is said anew.
async fn judge_again(server: Server) {
    if let Err(error) = server.judge_again().await {
        trouble::tell(&error.context("cannot read the stored runs anew"));
    }
}

async fn retain(database: Database, days: u32) {
    let mut each_day = tokio::time::interval(DAY);
    loop {
        each_day.tick().await;
        if let Err(error) = operate::remove_old(&database, days).await {
            trouble::tell(&error);
        }
    }
}

/// Takes the runs of this machine's store that are not there yet.
async fn take_local(server: Server, retain: Option<u32>) {
    if let Err(error) = try_take_local(&server, retain).await {
        trouble::tell(&error.context("cannot take the runs of this machine"));
    }
}

async fn try_take_local(server: &Server, retain: Option<u32>) -> Result<()> {
    let oldest = retain.map(operate::oldest).transpose()?;
    let host = local::host_name();
    for run in server.busy(local::runs_if_any).await?? {
        let is_kept = oldest.as_deref().is_none_or(|oldest| *run.started >= *oldest);
        // The store does not know the name of the machine of an imported run, and equal machines are not one.
        if run.imported || !is_kept || !run.has_ended() || server.database.has_whole(&host, &run.started).await? {
            continue;
        }
        let export = server.busy(move || local::export(run.run, &[], local::Asked::Plainly)).await??;
        if let Err(why) = server.take(Some(host.clone()), export, false).await {
            output::tell(&format!("run {}: {}", run.run, why.error));
        }
    }
    Ok(())
}

async fn serve(options: &ServeOptions, listener: TcpListener, address: SocketAddr, server: &Server) -> Result<()> {
    let handle = Handle::new();
    tokio::spawn(end(handle.clone(), server.live.clone()));
    let app = app(server, Client { is_behind_proxy: options.behind_proxy })
        .into_make_service_with_connect_info::<SocketAddr>();
    let tls = match (&options.certificate, &options.key) {
        (Some(certificate), Some(key)) => Some(tls::of_files(certificate, key).await?),
        _ if server.needs_token && !options.behind_proxy => {
            let own = tls::own(address, &options.host).await?;
            output::tell(&format!("certificate {}, SHA-256 {}", own.file.display(), own.fingerprint));
            Some(own.config)
        }
        _ => None,
    };
    let scheme = if tls.is_some() { "https" } else { "http" };
    output::print(&format!("{scheme}://{address}\n"))?;
    match tls {
        Some(tls) => {
            let mut server = axum_server::from_tcp_rustls(listener, tls)?.handle(handle);
            limit(server.http_builder());
            server.first_request_timeout(PATIENCE_WITH_NEW).serve(app).await?;
        }
        None => {
            let mut server = axum_server::from_tcp(listener)?.handle(handle);
            limit(server.http_builder());
            server.first_request_timeout(PATIENCE_WITH_NEW).serve(app).await?;
        }
    }
    Ok(())
}

/// Connections that send nothing, or hardly anything, are closed.
fn limit(builder: &mut Builder<TokioExecutor>) {
    builder.http1().timer(TokioTimer::new()).header_read_timeout(PATIENCE_WITH_NEW);
    let mut http2 = builder.http2();
    http2.timer(TokioTimer::new()).keep_alive_interval(PATIENCE_WITH_NEW).keep_alive_timeout(PATIENCE_WITH_NEW);
}

/// Everything that is answered, within its limits.
fn app(server: &Server, client: Client) -> Router {
    let mut limits = GovernorConfigBuilder::default().key_extractor(client);
    let limits = limits.per_millisecond(EACH_MS).burst_size(BURST).finish().expect("both are above 0");
    let counted = limits.limiter().clone();
    tokio::spawn(async move {
        loop {
            tokio::time::sleep(PATIENCE).await;
            // Addresses that ask no more take no memory.
            counted.retain_recent();
        }
    });
    api::router()
        .merge(pages::router())
        .layer(from_fn(refusal::worded))
        .layer(CompressionLayer::new())
        .layer(RequestDecompressionLayer::new())
        .layer(from_fn_with_state(server.clone(), guard::guard))
        .layer(TimeoutLayer::with_status_code(StatusCode::REQUEST_TIMEOUT, PATIENCE))
        .layer(GovernorLayer::new(limits))
        .layer(from_fn(refusal::worded))
        .layer(from_fn(guard::protected))
        .with_state(server.clone())
}

/// Ends the server when it is interrupted: requests under way are answered first.
async fn end(handle: Handle<SocketAddr>, live: Option<Live>) {
    let interrupted = tokio::signal::ctrl_c();
    let mut terminated =
        tokio::signal::unix::signal(tokio::signal::unix::SignalKind::terminate()).expect("signals can be caught");
    tokio::select! {
        _ = interrupted => {}
        _ = terminated.recv() => {}
    }
    if let Some(live) = live {
        live.end();
    }
    handle.graceful_shutdown(Some(PATIENCE_AT_END));
}
